//! The scrub line.

use crate::board::Board;
use crate::hooks::size::use_size;
use crate::layout::px;
use crate::layout::scrub::{Block, MARGIN, evenly, head, nearest, scrub};
use crate::shared::Shared;
use crate::state::clock::Clock;
use web_sys::{Element, HtmlInputElement, InputEvent, PointerEvent};
use yew::{
    Callback, Html, Properties, TargetCast as _, function_component, html, use_memo, use_node_ref,
};

/// Props of [`Scrub`].
#[derive(Clone, PartialEq, Properties)]
pub struct ScrubProps {
    /// The clock of the race.
    pub clock: Shared<Clock>,
    /// The board of the packing, while that is shown.
    pub board: Option<Shared<Board>>,
    /// Steps done.
    pub at: usize,
    /// To a position on the clock.
    pub on: Callback<usize>,
}

/// Both lanes over time, a block a fetch and a tick a comparison, with a head at the step that is shown. The pointer
/// moves over time, the keyboard from step to step: it meets a slider that lies over the picture.
#[function_component]
pub fn Scrub(props: &ScrubProps) -> Html {
    let frame = use_node_ref();
    let (width, _) = use_size(&frame, ());
    let steps = props.board.as_ref().map(|board| board.of as usize);
    let drawn = use_memo((props.clock.clone(), steps, width), |(clock, steps, width)| {
        if steps.is_some() {
            return Default::default();
        }
        let line = scrub(clock, *width);
        let lanes = html! {
            <>
                { lane(&line.trie, line.ends.0, *width, 11.5, "lane-t") }
                { lane(&line.legacy, line.ends.1, *width, 29.5, "lane-l") }
            </>
        };
        (lanes, line.heads)
    });
    let point = {
        let (on, drawn, frame) = (props.on.clone(), drawn.clone(), frame.clone());
        move |event: &PointerEvent| {
            if let Some(frame) = frame.cast::<Element>() {
                let x = f64::from(event.client_x()) - frame.get_bounding_client_rect().x();
                on.emit(match steps {
                    Some(steps) => evenly(steps, width, x),
                    None => nearest(&drawn.1, x),
                });
            }
        }
    };
    let on_down = {
        let (point, frame) = (point.clone(), frame.clone());
        Callback::from(move |event: PointerEvent| {
            if event.button() == 0 {
                if let Some(frame) = frame.cast::<Element>() {
                    let _ = frame.set_pointer_capture(event.pointer_id());
                }
                point(&event);
            }
        })
    };
    let on_move = Callback::from(move |event: PointerEvent| {
        if event.buttons() & 1 == 1 {
            point(&event);
        }
    });
    let on_input = props.on.reform(|event: InputEvent| {
        let value = event.target_dyn_into::<HtmlInputElement>().map(|input| input.value());
        value.and_then(|value| value.parse().ok()).unwrap_or_default()
    });
    let (at, len) = (props.at, steps.unwrap_or(props.clock.len()));
    let head = match steps {
        Some(steps) => head(steps, width, at),
        None => at.checked_sub(1).and_then(|at| drawn.1.get(at)).copied(),
    };
    html! {
        <div class="scrub" ref={frame} onpointerdown={on_down} onpointermove={on_move}>
            <svg width={width.to_string()} height="42" aria-hidden="true">
                { drawn.0.clone() }
                if let Some(board) = &props.board {
                    <svg width={px((width - MARGIN).max(0.0))} height="42" viewBox="0 0 1000 42" preserveAspectRatio="none">
                        <path d="M0 21H1000" class="hl" />
                        <path d={board.ticks.0.clone()} class="ax" />
                        <path d={board.ticks.1.clone()} class="ax tall" />
                    </svg>
                }
                if let Some(head) = head {
                    <g transform={format!("translate({},0)", px(head))}>
                        <path d="M0 0V42" stroke="var(--ink)" stroke-width="2" />
                        <path d="M-5 0h10v5l-5 5l-5-5z" fill="var(--ink)" />
                    </g>
                }
            </svg>
            <input
                type="range"
                aria-label="Step"
                aria-valuetext={format!("step {at} of {len}")}
                min={usize::from(len > 0).to_string()}
                max={len.to_string()}
                value={at.to_string()}
                disabled={len == 0}
                oninput={on_input}
            />
        </div>
    }
}

fn lane(blocks: &[Block], end: f64, width: f64, y: f64, class: &'static str) -> Html {
    html! {
        <>
            <path d={format!("M0 {}H{}", px(y), px(width))} class="hl" />
            <path d={format!("M0 {}H{}", px(y), px(end))} class="ax" />
            <path d={format!("M{} {}v11", px(end), px(y - 5.5))} class="ax" />
            { for blocks.iter().map(|block| {
                let high = if block.fetch { 11.0 } else { 7.0 };
                html! {
                    <rect
                        {class}
                        x={px(block.x)}
                        y={px(y - high / 2.0)}
                        width={px(block.width)}
                        height={px(high)}
                    />
                }
            }) }
        </>
    }
}
