//! The transport: steps, play, and the scrub line with both lanes on one clock.

use super::icons;
use super::scrub::Scrub;
use crate::board::Board;
use crate::shared::Shared;
use crate::state::clock::Clock;
use crate::state::keymap::Command;
use crate::state::store::SPEEDS;
use triescope_core::lookup::words::number;
use yew::{Callback, Html, html};

/// Props of [`transport`].
#[derive(Clone, PartialEq)]
pub struct TransportProps {
    /// The clock of the race.
    pub clock: Shared<Clock>,
    /// The board of the packing, while that is shown.
    pub board: Option<Shared<Board>>,
    /// Steps done.
    pub at: usize,
    /// Whether it plays.
    pub playing: bool,
    /// Which of [`SPEEDS`].
    pub speed: usize,
    /// The sentence of the step, shown where the lanes have no room for it.
    pub sentence: Html,
    /// What the buttons ask for.
    pub on: Callback<Command>,
    /// To a position on the clock.
    pub on_scrub: Callback<usize>,
    /// To a speed.
    pub on_speed: Callback<usize>,
}

const ABOUT_SPEED: &str = "For reading: a page fetch lasts as long as six comparisons; neither disks nor writers are timed";

/// First, back, play, step, last; the scrub line; step and speed.
pub fn transport(props: &TransportProps) -> Html {
    let packs = props.board.is_some();
    let len = props.board.as_ref().map_or(props.clock.len(), |board| board.of as usize);
    let at = props.at;
    let (play, play_icon) =
        if props.playing { ("Pause", icons::pause()) } else { ("Play", icons::play()) };
    let button = |command: Command, name: &'static str, key: &'static str, icon: Html| {
        html! {
            <button
                class={if command == Command::Play { "ib play" } else { "ib" }}
                aria-label={name}
                title={format!("{name} ({key})")}
                onclick={props.on.reform(move |_| command)}
            >
                { icon }
            </button>
        }
    };
    let next_speed = (props.speed + 1) % SPEEDS.len();
    html! {
        <section class="transport" aria-label="Transport">
            <p class="say phone-only">{ props.sentence.clone() }</p>
            <div class="keys" role="toolbar" aria-label="Steps">
                { button(Command::First, "First step", "Home", icons::first()) }
                { button(Command::StepBack, "Step back", "←", icons::back()) }
                { button(Command::Play, play, "Space", play_icon) }
                { button(Command::Step, "Step", "→", icons::step()) }
                { button(Command::Last, "Last step", "End", icons::last()) }
                if packs {
                    <button class="btn phone-only" onclick={props.on.reform(|_| Command::NextFetch)}>
                        { "Page ▸" }
                    </button>
                } else {
                    <button
                        class="btn phone-only"
                        aria-label={format!("Speed {}", SPEEDS[props.speed].1)}
                        onclick={props.on_speed.reform(move |_| next_speed)}
                    >
                        { SPEEDS[props.speed].1 }
                    </button>
                }
            </div>
            <Scrub clock={props.clock.clone()} board={props.board.clone()} {at} on={props.on_scrub.clone()} />
            <div class="spd wide-only">
                <span class="count">
                    { if len == 0 { "No steps".to_owned() } else { format!("Step {} of {}", number(at as u64, ','), number(len as u64, ',')) } }
                </span>
                if packs {
                    <button
                        class="btn"
                        title="Next page boundary (. or ])"
                        onclick={props.on.reform(|_| Command::NextFetch)}
                    >
                        { "Next page" }
                    </button>
                }
                <div class="seg" role="group" aria-label="Speed" title={ABOUT_SPEED}>
                    { for SPEEDS.iter().enumerate().map(|(n, (_, name))| html! {
                        <button
                            aria-pressed={(n == props.speed).to_string()}
                            onclick={props.on_speed.reform(move |_| n)}
                        >
                            { *name }
                        </button>
                    }) }
                </div>
            </div>
        </section>
    }
}
