//! Runs end-to-end tests and prints what libtest would print.
//!
//! A suite is a file of tests that share one browser. Tests are told apart by a name, and run one after the other;
//! after a failure the browser is replaced.

use crate::driver::Driver;
use crate::page::Page;
use crate::session::Session;
use crate::site::Site;
use anyhow::{Context as _, Result, anyhow};
use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::process::ExitCode;
use xtask::say::Stopwatch;

/// A test that runs.
pub type Running<'a> = Pin<Box<dyn Future<Output = Result<()>> + 'a>>;

/// One test: its name and what it does with a page.
pub type Case = (&'static str, for<'a> fn(&'a mut Page) -> Running<'a>);

/// The tests of one file.
pub struct Suite {
    /// Name of the file.
    pub name: &'static str,
    /// Its tests.
    pub cases: Vec<Case>,
}

/// Makes a [`Suite`] of async functions that take `&mut Page`.
#[macro_export]
macro_rules! suite {
    ($name:literal: $($test:ident),+ $(,)?) => {
        $crate::run::Suite { name: $name, cases: vec![$((stringify!($test), |page| Box::pin($test(page)))),+] }
    };
}

/// Runs every test whose `suite::name` contains one of the filters; all of them without a filter.
pub fn main(suites: &[Suite]) -> ExitCode {
    let filters: Vec<String> =
        std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let ran =
        runtime.context("no runtime").and_then(|runtime| runtime.block_on(run(suites, &filters)));
    match ran {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            println!("the tests could not be run: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run(suites: &[Suite], filters: &[String]) -> Result<bool> {
    let watch = Stopwatch::start();
    let driver = Driver::start()?;
    let site = Site::start()?;
    let (mut passed, mut failures) = (0, Vec::new());
    let chosen = |name: &str| {
        filters.is_empty() || filters.iter().any(|filter| name.contains(filter.as_str()))
    };
    for suite in suites {
        let mut page: Option<Page> = None;
        for (name, case) in &suite.cases {
            let name = format!("{}::{name}", suite.name);
            if !chosen(&name) {
                continue;
            }
            let open = match page.take() {
                Some(open) => open,
                None => Page::new(Session::open(&driver).await?, site.url()),
            };
            let (result, kept) = one(open, &name, *case).await;
            page = kept;
            match result {
                Ok(()) => {
                    passed += 1;
                    println!("test {name} ... ok");
                }
                Err(error) => {
                    println!("test {name} ... FAILED");
                    failures.push((name, error));
                }
            }
        }
    }
    if !failures.is_empty() {
        println!("\nfailures:\n");
        for (name, error) in &failures {
            println!("---- {name} ----\n{error:?}\n");
        }
    }
    let verdict = if failures.is_empty() { "ok" } else { "FAILED" };
    println!(
        "\ntest result: {verdict}. {passed} passed; {} failed; 0 ignored; finished in {watch}",
        failures.len()
    );
    Ok(failures.is_empty())
}

/// Runs one test. The page comes back when it can be used again.
async fn one(
    mut page: Page,
    name: &str,
    case: for<'a> fn(&'a mut Page) -> Running<'a>,
) -> (Result<()>, Option<Page>) {
    if let Err(error) = page.reset().await {
        return (Err(error.context("before the test")), None);
    }
    let mut result = unwound(case(&mut page)).await;
    if result.is_ok() {
        result = page.no_errors_logged().await;
    }
    match result {
        Ok(()) => (Ok(()), Some(page)),
        Err(error) => {
            let seen =
                page.evidence(name).await.unwrap_or_else(|none| format!("no picture: {none:#}"));
            (Err(error.context(seen)), None)
        }
    }
}

/// Awaits a test and turns a panic in it into an error.
async fn unwound(mut running: Running<'_>) -> Result<()> {
    let polled = poll_fn(|context| {
        match catch_unwind(AssertUnwindSafe(|| running.as_mut().poll(context))) {
            Ok(poll) => poll,
            Err(panic) => Err(anyhow!("panicked: {}", said(panic.as_ref()))).into(),
        }
    });
    polled.await
}

fn said(panic: &(dyn Any + Send)) -> String {
    match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(text), _) => (*text).to_owned(),
        (_, Some(text)) => text.clone(),
        _ => "without words".to_owned(),
    }
}
