/// Whether one of the first entries of Index.db has a promoted index. Wide partitions are rarely rare: a look at the first
/// few hundred saves reading all of a large file while it is opened.
fn promoted_index_near_the_start<S: Source>(source: &S) -> Result<bool, Error> {
    let mut unheard = ();
    let mut pages = Pages::new(Part::Index, source, &mut unheard);
    let (mut at, mut head) = (FilePos(0), Vec::new());
    for _ in 0..ENTRIES_LOOKED_AT {
        if at.0 >= source.len() {
            break;
        }
        head.clear();
        let entry = EntryHead::read(&mut pages, at, &mut head)?;
        if entry.promoted_size > 0 {
            return Ok(true);
        }
        at = FilePos(entry.at.0.saturating_add(u64::from(entry.bytes)));
    }
    Ok(false)
}
