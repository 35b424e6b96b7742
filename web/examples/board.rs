//! A board as one HTML file, without a browser and without building the page: for looking at a view while it is made.
//!
//! `cargo run -p triescope-web --example board -- testdata/cassandra/p20k '#/s/p20k/page?page=30' 1440 dark > board.html`
//!
//! The folder holds the files of one SSTable, or one folder for each of its versions.

use std::cell::RefCell;
use std::error::Error;
use std::path::Path;
use std::rc::Rc;
use std::{env, fs};
use triescope_core::table::IndexKind;
use triescope_web::board::{Board, BoardAsk};
use triescope_web::state::address::Address;
use triescope_web::worker::open::Opening;
use triescope_web::worker::windows::{BUDGET_BYTES, File, FileSource, Windows};
use triescope_web::worker::world::World;
use triescope_web::workshop::boards::Boards;
use triescope_web::workshop::jobs::Slice;
use triescope_web::workshop::protocol::Reply;

struct Disk(Rc<Vec<u8>>);

impl File for Disk {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn read(&self, from: u64, to: u64) -> Result<Vec<u8>, String> {
        Ok(self.0[from as usize..to as usize].to_vec())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [folder, fragment, rest @ ..] = args.as_slice() else {
        return Err("FOLDER '#/s/…' [WIDTH [light|dark]]".into());
    };
    let width = rest.first().map_or(Ok(1440), |width| width.parse())?;
    let theme = rest.get(1).map_or("light", String::as_str);
    let (mut named, mut bytes) = (Vec::new(), Vec::new());
    read(Path::new(folder), &mut named, &mut bytes)?;
    let windows = Rc::new(RefCell::new(Windows::new(BUDGET_BYTES)));
    let mut opening = Opening::new(&named, 0, |at, part| {
        FileSource::new(part, Disk(Rc::clone(&bytes[at])), &windows)
    });
    let mut world = World::default();
    while opening.step(&mut world) {}
    let find = |kind| {
        (0..named.len() as u32)
            .find(|id| Some(kind) == world.table(*id).and_then(|it| it.facts.index))
    };
    let tables = (find(IndexKind::Trie), find(IndexKind::Legacy));
    let address = Address::parse(fragment);
    let ask = BoardAsk {
        view: address.view,
        tables,
        place: address.place(),
        query: address.rest,
        keys: None,
        width,
        height: 900 - 76,
    };
    let mut boards = Boards::default();
    let board = loop {
        match boards.board(&ask, &world, &|| false) {
            Slice::Done(Ok(Reply::Board(board))) => break board,
            Slice::Done(other) => return Err(format!("{other:?}").into()),
            Slice::More(_) => {}
        }
    };
    print!("{}", page(&board, &ask, theme)?);
    Ok(())
}

fn read(
    folder: &Path,
    named: &mut Vec<(String, u64)>,
    bytes: &mut Vec<Rc<Vec<u8>>>,
) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            read(&path, named, bytes)?;
        } else {
            let content = fs::read(&path)?;
            named.push((path.display().to_string(), content.len() as u64));
            bytes.push(Rc::new(content));
        }
    }
    Ok(())
}

/// The board in the frame that the page puts around it.
fn page(board: &Board, ask: &BoardAsk, theme: &str) -> Result<String, Box<dyn Error>> {
    let mut style = String::new();
    for folder in ["../static/css", "../static/css/boards"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let mut files: Vec<_> = fs::read_dir(folder)?.collect::<Result<_, _>>()?;
        files.sort_by_key(fs::DirEntry::path);
        for file in files.iter().filter(|file| file.path().is_file()) {
            style += &fs::read_to_string(file.path())?;
        }
    }
    let parts = |parts: &[triescope_web::board::Part]| {
        let part = |part: &triescope_web::board::Part| match part.class.as_str() {
            "fold" => {
                format!("<details><summary>{}</summary>{}</details>", part.title, part.html)
            }
            class => format!("<section class=\"{class}\">{}</section>", part.html),
        };
        parts.iter().map(part).collect::<String>()
    };
    let (class, height) = match ask.width {
        1200.. => ("", format!("height:{}px", ask.height)),
        _ => (" mid", String::new()),
    };
    Ok(format!(
        "<!doctype html><html lang=en data-theme={theme}><meta charset=utf-8><meta name=viewport content=\"width=device-width\">\
         <style>{style}</style><main class=main id=main><div class=view><div class=\"pk {}{class}\" style=\"{height}\">\
         <header class=keyrow>{}</header><div class=pkm>{}</div><aside class=side>{}</aside></div></div></main></html>",
        ask.view.word(),
        board.head,
        parts(&board.main),
        parts(&board.side)
    ))
}
