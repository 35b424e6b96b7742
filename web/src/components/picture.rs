//! Paints a [`Scene`] as SVG.

use crate::layout::{Mark, Scene, Shape, anchor, face, px};
use yew::{Classes, Html, classes, html};

/// The picture. Its label is its name for those who do not see it; its text twin stands beside it.
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
            { for scene.marks.iter().map(mark) }
        </svg>
    }
}

fn mark(mark: &Mark) -> Html {
    let class = mark.class.to_string();
    match &mark.shape {
        Shape::Rect { rect, radius } => html! {
            <rect
                {class}
                x={px(rect.x)}
                y={px(rect.y)}
                width={px(rect.w)}
                height={px(rect.h)}
                rx={(*radius > 0.0).then(|| px(*radius))}
            />
        },
        Shape::Circle { x, y, r } => {
            html! { <circle {class} cx={px(*x)} cy={px(*y)} r={px(*r)} /> }
        }
        Shape::Path(d) => html! { <path {class} d={d.clone()} /> },
        Shape::Text { x, y, anchor: at, face: of, text } => html! {
            <text class={classes!(class, face(*of))} x={px(*x)} y={px(*y)} text-anchor={anchor(*at)}>
                { text }
            </text>
        },
    }
}
