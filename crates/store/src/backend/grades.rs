//! The grades of a project's agents. They are no view of a log: the trials that they come from are thrown away.

use tribunal_kernel::grade::Grades;

use super::StoreReply;

/// How well agents keep to the protocol.
pub trait GradeBook: Send + Sync {
    /// The grades as they stand. Grades that cannot be read are an error, because a mark that is not seen is not obeyed.
    fn read(&self) -> StoreReply<'_, Grades>;

    /// Changes the grades, in one step. `change` may be called again, with newer grades, if somebody else was faster.
    fn change<'a>(&'a self, change: Box<dyn FnMut(&mut Grades) + Send + 'a>) -> StoreReply<'a, ()>;
}
