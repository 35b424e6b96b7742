//! Paints a [`Scene`] as SVG: the only place that makes elements of marks.

use crate::layout::{Mark, Scene, Shape, anchor, face, px, state};
use yew::{Callback, Classes, Html, classes, html};

/// A picture without steps. Its label is its name for those who do not see it; its text twin stands beside it.
pub fn picture(scene: &Scene, class: impl Into<Classes>) -> Html {
    let (width, height) = (px(scene.width), px(scene.height));
    html! {
        <svg
            class={class.into()}
            width={width.clone()}
            height={height.clone()}
            viewBox={format!("0 0 {width} {height}")}
            role="img"
            aria-label={scene.label.clone()}
        >
            { for scene.marks.iter().map(|mark| paint(mark, None, None)) }
        </svg>
    }
}

/// One mark after `done` steps (`None`: after all of them). A click on a mark with a step in `hit` asks for the state
/// after it, counted from 1.
pub fn paint(mark: &Mark, done: Option<u32>, on_step: Option<&Callback<usize>>) -> Html {
    let class = classes!(mark.class.to_string(), state(mark, done));
    let step = mark.hit.and_then(|step| usize::try_from(step).ok());
    let onclick = step
        .zip(on_step.cloned())
        .map(|(step, on_step)| Callback::from(move |_| on_step.emit(step + 1)));
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
