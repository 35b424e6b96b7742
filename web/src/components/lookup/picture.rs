//! Paints a scene that knows its steps: what has not happened yet is absent or faint, and a click goes to a step.

use crate::layout::{Mark, Scene, Shape, anchor, face, px, state};
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
            { for scene.marks.iter().map(|mark| paint(mark, done, &props.on_step)) }
        </svg>
    }
}

fn paint(mark: &Mark, done: Option<u32>, on_step: &Callback<usize>) -> Html {
    let class = classes!(mark.class.to_string(), state(mark, done));
    let onclick = mark.hit.and_then(|step| usize::try_from(step).ok()).map(|step| {
        let on_step = on_step.clone();
        Callback::from(move |_| on_step.emit(step + 1))
    });
    match &mark.shape {
        Shape::Rect { rect, radius } => html! {
            <rect
                {class}
                x={px(rect.x)}
                y={px(rect.y)}
                width={px(rect.w)}
                height={px(rect.h)}
                rx={(*radius > 0.0).then(|| px(*radius))}
                {onclick}
            />
        },
        Shape::Circle { x, y, r } => html! {
            <circle {class} cx={px(*x)} cy={px(*y)} r={px(*r)} {onclick} />
        },
        Shape::Path(d) => html! { <path {class} d={d.clone()} {onclick} /> },
        Shape::Text { x, y, anchor: at, face: of, text } => html! {
            <text
                class={classes!(class, face(*of))}
                x={px(*x)}
                y={px(*y)}
                text-anchor={anchor(*at)}
                {onclick}
            >
                { text }
            </text>
        },
    }
}
