//! The size of an element, followed as it changes.

use wasm_bindgen::JsCast as _;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, ResizeObserver};
use yew::{NodeRef, hook, use_effect_with, use_state_eq};

/// Width and height of the element in whole CSS pixels, scroll bars not included; zero before it is there.
/// `again` is anything whose change may mean another element.
#[hook]
pub fn use_size<T: PartialEq + 'static>(node: &NodeRef, again: T) -> (f64, f64) {
    let size = use_state_eq(|| (0.0, 0.0));
    {
        let (size, node) = (size.clone(), node.clone());
        use_effect_with(again, move |_| {
            let element = node.cast::<Element>();
            let watched = element.and_then(|element| {
                let measure = {
                    let element = element.clone();
                    move || {
                        let (width, height) = (element.client_width(), element.client_height());
                        size.set((f64::from(width), f64::from(height)));
                    }
                };
                measure();
                let changed = Closure::<dyn Fn()>::new(measure);
                let observer = ResizeObserver::new(changed.as_ref().unchecked_ref()).ok()?;
                observer.observe(&element);
                Some((observer, changed))
            });
            move || {
                if let Some((observer, _)) = &watched {
                    observer.disconnect();
                }
            }
        });
    }
    *size
}
