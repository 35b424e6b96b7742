//! How each action changes the state.

use super::{Action, Busy, RaceCall, SPEEDS, State, Tables};
use crate::model::{Opened, Pair, TableId, Twin, Wanted};
use crate::shared::Shared;
use crate::state::address::{Address, Origin, View, WARM_KEYS};
use crate::state::clock::Clock;
use crate::state::told;
use std::mem;
use triescope_core::race::{CacheModel, Race};
use triescope_core::table::{IndexKind, TableFacts};

impl State {
    /// The state after an action; `None` when it changes nothing.
    pub fn after(&self, action: Action) -> Option<Self> {
        let mut next = self.clone();
        let settles = matches!(action, Action::Boarded(..));
        next.act(action);
        if next.address != self.address {
            next.is_settled = settles;
        }
        (next != *self).then_some(next)
    }

    fn act(&mut self, action: Action) {
        match action {
            Action::Navigate(address) => self.navigate(address),
            Action::Samples(samples) => {
                self.samples = Shared::new(samples);
                self.check_sample();
            }
            Action::OpenSample(name) => {
                self.navigate(Address { origin: Some(Origin::Sample(name)), ..Address::default() });
            }
            Action::OpenPair(pair) => self.open_pair(pair),
            Action::Show(view) => {
                if self.address.origin == Some(Origin::Keys) {
                    return;
                }
                self.address = self.address.in_view(view);
                self.playing = false;
                self.help = false;
                self.choose_key();
            }
            Action::Loading(words) => {
                self.loading = Some(words);
                self.failure = None;
                self.notice = None;
            }
            Action::Loaded(sample, opened) => self.loaded(sample, opened),
            Action::LoadFailed(why) => {
                self.loading = None;
                self.failure = Some(why);
                // Back at the start, where the sample can be picked again.
                if self.wanted_source().is_some() {
                    self.address = Address::default();
                }
            }
            Action::Forget => {
                self.dropped = None;
                self.failure = None;
            }
            Action::Lost(said) => {
                self.tables = None;
                self.dropped = None;
                self.failure = Some(said);
            }
            Action::LookUp(key, row, filter) => {
                self.look_up(key, row);
                self.address.ask.filter = filter.unwrap_or(self.address.ask.filter);
            }
            Action::Reader(reader) => {
                self.address.ask.reader = Some(reader);
                self.new_question();
            }
            Action::Cache(bytes) => {
                self.address.ask.cache = match bytes {
                    None => CacheModel::Cold,
                    Some(bytes) => CacheModel::Warm { bytes, keys: Vec::new() },
                };
                self.new_question();
            }
            Action::Filter(mode) => {
                self.address.ask.filter = mode;
                self.new_question();
            }
            Action::SampleLarge => {
                self.sample_large = true;
                self.race_failure = None;
                self.means_failure = None;
            }
            Action::Block(bytes) => {
                self.address.ask.block = bytes;
                self.new_question();
            }
            Action::Twinned(call, twin) => {
                self.twins.retain(|(known, _)| *known != call);
                self.twins.push((call, twin));
            }
            Action::BuildTwin => {
                self.twin_large = true;
                self.twins.retain(|(_, twin)| matches!(twin, Twin::Made { .. }));
                for (call, _) in &mut self.twins {
                    call.large = true;
                }
            }
            Action::Raced(call, race) => self.raced(&call, *race),
            Action::RaceFailed(call, failure) => {
                if self.wanted_race().as_ref() == Some(&call) {
                    self.race_failure = Some(Shared::new(failure));
                    self.playing = false;
                }
            }
            Action::Means(call, means) => match self.means.iter_mut().find(|(c, _)| *c == call) {
                Some((_, known)) => *known = Shared::new(means),
                None => self.means.push((call, Shared::new(means))),
            },
            Action::MeansFailed(call, failure) => {
                self.means_failure = Some((call, Shared::new(failure)));
            }
            Action::Understood(understood) => self.understood = understood.map(Shared::new),
            Action::Suggestions(keys) => self.suggestions = Some(Shared::new(keys)),
            Action::Readings(readings) => self.readings = Some(Shared::new(readings)),
            Action::Notice(notice) => self.notice = notice,
            Action::Spent(spent) => self.spent = spent,
            Action::Began(id, about) => self.busy.push(Busy { id, about, progress: None }),
            Action::Progress(id, progress) => {
                for busy in self.busy.iter_mut().filter(|busy| busy.id == id) {
                    busy.progress = Some(progress);
                }
            }
            Action::Ended(id) => self.busy.retain(|busy| busy.id != id),
            Action::Help(open) => self.help = open,
            Action::Room(..)
            | Action::Boarded(..)
            | Action::BoardFailed(..)
            | Action::Choose(..) => self.board(action),
            Action::To(_)
            | Action::ToStep(..)
            | Action::Step(_)
            | Action::Fetch(_)
            | Action::End(_)
            | Action::Play
            | Action::Tick
            | Action::Speed(_) => self.transport(action),
        }
    }

    fn transport(&mut self, action: Action) {
        if self.address.view.is_board() {
            return self.board(action);
        }
        let clock = self.clock.clone();
        let first = clock.first();
        let (playing, at) = match action {
            Action::To(at) => (false, at),
            Action::ToStep(side, steps) => (false, clock.at_lane(side, steps)),
            Action::Step(true) => (false, self.at + 1),
            Action::Step(false) => (false, self.at.saturating_sub(1)),
            Action::Fetch(true) => (false, clock.next_fetch(self.at)),
            Action::Fetch(false) => (false, clock.previous_fetch(self.at)),
            Action::End(true) => (false, clock.len()),
            Action::End(false) => (false, first),
            Action::Play if self.playing => (false, self.at),
            Action::Play if self.at >= clock.len() => (true, first),
            Action::Play => (true, self.at),
            Action::Tick if self.playing => (self.at + 1 < clock.len(), self.at + 1),
            Action::Speed(speed) => return self.speed = speed.min(SPEEDS.len() - 1),
            _ => return,
        };
        self.at = at.clamp(first, clock.len());
        self.playing = playing && !clock.is_empty();
        if !clock.is_empty() {
            self.address.steps = Some(self.steps());
        }
    }

    fn navigate(&mut self, address: Address) {
        let before = mem::replace(&mut self.address, address);
        self.keep_step(&before);
        self.playing = false;
        self.help = false;
        self.failure = None;
        if before.origin != self.address.origin {
            self.new_tables();
            self.check_sample();
            self.reopen_local();
        } else if before.same_place(&self.address) {
            self.place();
        } else {
            self.race_failure = None;
        }
        self.choose_key();
    }

    /// Forgets what belonged to the tables that were open.
    fn new_tables(&mut self) {
        self.race = None;
        self.clock = Shared::new(Clock::default());
        self.at = 0;
        self.race_failure = None;
        self.means.clear();
        self.means_failure = None;
        self.sample_large = false;
        self.twins.clear();
        self.twin_large = false;
        self.understood = None;
        self.suggestions = None;
        self.board = None;
        self.board_failure = None;
    }

    fn check_sample(&mut self) {
        if let Some(Origin::Sample(name)) = &self.address.origin
            && !self.samples.is_empty()
            && !self.samples.iter().any(|sample| sample.name == *name)
        {
            self.failure =
                Some(format!("This link opens a sample “{name}”, and there is none of that name."));
            self.address = Address::default();
        }
    }

    fn loaded(&mut self, sample: Option<String>, opened: Opened) {
        self.loading = None;
        self.notice = None;
        match sample {
            Some(name) => {
                if self.address.origin == Some(Origin::Sample(name.clone())) {
                    let pair = opened.pairs.first().copied();
                    self.tables = pair
                        .and_then(|pair| tables(&opened, pair, Origin::Sample(name.clone()), name));
                    if self.tables.is_none() {
                        self.failure = Some("The sample holds no SSTable.".to_owned());
                    }
                }
                self.dropped = None;
            }
            None => {
                self.dropped = Some(Shared::new(opened));
                if self.wanted_files().is_some() {
                    self.reopen_local();
                } else if let Some(pair) = self.only_choice() {
                    self.open_pair(pair);
                } else {
                    self.address = Address::default();
                    self.tables = None;
                }
            }
        }
        self.choose_key();
    }

    /// The pair to open without asking: the only one, with nothing that needs a word before.
    fn only_choice(&self) -> Option<Pair> {
        let opened = self.dropped.as_ref()?;
        let [pair] = opened.pairs.as_slice() else { return None };
        let whole = opened.tables.iter().all(|(_, facts)| facts.problems.is_empty());
        (whole && opened.strangers.is_empty()).then_some(*pair)
    }

    fn open_pair(&mut self, pair: Pair) {
        let Some(opened) = self.dropped.clone() else { return };
        let facts = |id: Option<TableId>| {
            id.and_then(|id| opened.tables.iter().find(|(table, _)| *table == id)).map(|(_, f)| f)
        };
        let parts = [facts(pair.trie), facts(pair.legacy)];
        let origin = Origin::Local(parts.into_iter().flatten().map(identity).collect());
        let name = parts
            .into_iter()
            .flatten()
            .find_map(|facts| facts.table.clone())
            .or_else(|| parts.into_iter().flatten().next().map(|facts| facts.name.clone()));
        self.new_tables();
        self.failure = None;
        self.tables = tables(&opened, pair, origin.clone(), name.unwrap_or_default());
        if self.address.origin.as_ref() != Some(&origin) {
            self.address = Address { origin: Some(origin), ..Address::default() };
        }
        self.choose_key();
    }

    /// Opens the dropped files that the address names, where they are here.
    fn reopen_local(&mut self) {
        let (Some(wanted), Some(opened)) = (self.wanted_files(), self.dropped.clone()) else {
            return;
        };
        let find = |index: IndexKind| {
            opened
                .tables
                .iter()
                .find(|(_, facts)| facts.index == Some(index) && wanted.contains(&identity(facts)))
        };
        let pair = Pair {
            trie: find(IndexKind::Trie).map(|(id, _)| *id),
            legacy: find(IndexKind::Legacy).map(|(id, _)| *id),
        };
        let found = usize::from(pair.trie.is_some()) + usize::from(pair.legacy.is_some());
        if found == wanted.len() {
            self.open_pair(pair);
        } else {
            let name = |wanted: &Wanted| format!("{} ({} B)", wanted.name, wanted.bytes);
            let names: Vec<String> = wanted.iter().map(name).collect();
            self.failure = Some(format!(
                "These are not the files of the link: it needs {}.",
                names.join(" and ")
            ));
        }
    }

    /// Takes the first key of a lookup where the address has none.
    fn choose_key(&mut self) {
        if self.address.view == View::Lookup
            && self.address.ask.key.is_none()
            && let Some(key) = self.first_key()
        {
            self.address.ask.key = Some(key);
        }
    }

    fn look_up(&mut self, key: String, row: Option<String>) {
        let row = row.filter(|row| !row.trim().is_empty());
        let ask = &mut self.address.ask;
        if ask.key.as_ref() == Some(&key) && ask.row == row {
            self.at = self.clock.len();
            self.attempt += u32::from(self.race_failure.is_some());
        } else {
            let before = ask.key.replace(key);
            ask.row = row;
            if let (CacheModel::Warm { keys, .. }, Some(before)) = (&mut ask.cache, before) {
                keys.push(before);
                let too_many = keys.len().saturating_sub(WARM_KEYS);
                keys.drain(..too_many);
            }
        }
        self.address.view = View::Lookup;
        self.new_question();
    }

    /// The question has changed: the answer comes first again.
    fn new_question(&mut self) {
        self.address.steps = None;
        self.playing = false;
        self.race_failure = None;
        self.notice = None;
    }

    fn raced(&mut self, call: &RaceCall, race: Race) {
        if self.wanted_race().as_ref() != Some(call) {
            return;
        }
        let trie = race.trie.as_ref().map(|lane| &lane.record);
        let legacy = race.legacy.as_ref().map(|lane| &lane.lane.record);
        self.clock = Shared::new(Clock::new(trie, legacy));
        self.notice = told::unreadable(&race);
        self.race = Some(Shared::new(race));
        self.race_failure = None;
        self.place();
    }

    /// Goes where the address says, else to the end.
    fn place(&mut self) {
        let clock = self.clock.clone();
        self.at = match self.address.steps {
            Some((t, l)) => clock.at_steps(t, l).max(clock.first()),
            None => clock.len(),
        };
        // While a lane is missing, the address keeps the steps of it that a link has named.
        let shown = self.address.view == View::Lookup;
        if !clock.is_empty() && shown && !self.is_building() {
            self.address.steps = Some(self.steps());
        }
    }
}

/// How the address names local files.
fn identity(facts: &TableFacts) -> Wanted {
    Wanted::parse(&facts.identity).unwrap_or_else(|| Wanted {
        name: facts.name.clone(),
        bytes: 0,
        hash: String::new(),
    })
}

fn tables(opened: &Opened, pair: Pair, origin: Origin, name: String) -> Option<Tables> {
    let find = |id: Option<TableId>| {
        let id = id?;
        let (_, facts) = opened.tables.iter().find(|(table, _)| *table == id)?;
        Some((id, Shared::new(facts.clone())))
    };
    let (trie, legacy) = (find(pair.trie), find(pair.legacy));
    (trie.is_some() || legacy.is_some()).then_some(Tables { origin, name, trie, legacy })
}
