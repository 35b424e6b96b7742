//! Why something could not be done, as a sentence.

use crate::model::Failure;
use crate::words::bytes;

/// The sentence.
pub fn sentence(failure: &Failure) -> String {
    match failure {
        Failure::Text { why } => why.clone(),
        Failure::Read(error) => format!("{error}."),
        Failure::AskToSample { bytes: size } => format!(
            "Index.db has {}: sampling it in memory, as ScyllaDB does, reads all of it.",
            bytes(*size)
        ),
        Failure::Cancelled => "Stopped.".to_owned(),
        Failure::WorkerDied { said } => {
            format!("The reader stopped and was started again. It last said: {said}")
        }
    }
}
