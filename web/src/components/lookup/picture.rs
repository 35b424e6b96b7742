//! Paints a scene that knows its steps: what has not happened yet is absent or faint, and a click goes to a step.

use crate::components::picture::paint;
use crate::layout::{Scene, px};
use crate::shared::Shared;
use yew::{Callback, Html, Properties, classes, function_component, html};

/// Props of [`Picture`].
#[derive(Clone, PartialEq, Properties)]
pub struct PictureProps {
    /// The picture with all its steps.
    pub scene: Shared<Scene>,
    /// Steps done.
    pub done: usize,
    /// Whether the newest mark lights up slowly.
    pub playing: bool,
    /// Goes to the state after a step, counted from 1.
    pub on_step: Callback<usize>,
}

/// The picture. Its text twin is the list of steps beside it.
#[function_component]
pub fn Picture(props: &PictureProps) -> Html {
    let scene = &props.scene;
    let (width, height) = (px(scene.width), px(scene.height));
    let done = u32::try_from(props.done).ok();
    html! {
        <svg
            class={classes!("pic", props.playing.then_some("lit"))}
            width={width.clone()}
            height={height.clone()}
            viewBox={format!("0 0 {width} {height}")}
            role="img"
            aria-label={scene.label.clone()}
        >
            { for scene.marks.iter().map(|mark| paint(mark, done, Some(&props.on_step))) }
        </svg>
    }
}
