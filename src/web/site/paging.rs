//! Links between the pages of a list.

use crate::http::query::Query;
use rollcall_model::resources::Pagination;

pub struct Paging {
    pub page: i64,
    pub pages: i64,
    pub total: i64,
    /// The position of the first item on this page.
    pub from: i64,
    path: &'static str,
    query: Query,
}

/// Page links beside the current one.
const NEIGHBOURS: i64 = 2;

impl Paging {
    pub fn new(path: &'static str, query: Query, pagination: &Pagination) -> Self {
        let (page, limit, total) = (i64::from(pagination.page), i64::from(pagination.limit), pagination.total as i64);
        let from = (page - 1) * limit + 1;
        Self { page, pages: pagination.total_pages as i64, total, from, path, query }
    }

    pub fn is_needed(&self) -> bool {
        self.pages > 1 || self.page > 1
    }

    pub fn url(&self, page: &i64) -> String {
        let number = page.to_string();
        format!("{}{}", self.path, self.query.with("page", (*page > 1).then_some(number.as_str())))
    }

    pub fn previous(&self) -> Option<i64> {
        (self.page > 1).then(|| (self.page - 1).min(self.pages.max(1)))
    }

    pub fn next(&self) -> Option<i64> {
        (self.page < self.pages).then_some(self.page + 1)
    }

    /// The pages to link: the first, the last and those around this one. `None` is a gap.
    pub fn links(&self) -> Vec<Option<i64>> {
        let around = (self.page - NEIGHBOURS).max(1)..=(self.page + NEIGHBOURS).min(self.pages);
        let mut pages: Vec<i64> = [1].into_iter().chain(around).chain([self.pages]).filter(|page| *page >= 1).collect();
        pages.sort_unstable();
        pages.dedup();
        let mut links = Vec::new();
        for page in pages {
            if links.last().is_some_and(|before: &Option<i64>| before.is_some_and(|before| before + 1 < page)) {
                links.push(None);
            }
            links.push(Some(page));
        }
        links
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(page: u32, total: u64) -> Vec<Option<i64>> {
        Paging::new("/servers", Query::default(), &Pagination::new(page, 10, total)).links()
    }

    #[test]
    fn far_pages_are_skipped() {
        assert_eq!(links(1, 5), [Some(1)]);
        assert_eq!(links(1, 100), [Some(1), Some(2), Some(3), None, Some(10)]);
        assert_eq!(links(6, 100), [Some(1), None, Some(4), Some(5), Some(6), Some(7), Some(8), None, Some(10)]);
        assert_eq!(links(99, 100), [Some(1), None, Some(10)]);
        assert_eq!(links(1, 0), [Some(1)]);
    }

    #[test]
    fn links_keep_the_filters() {
        let query = Query::parse("sort=votes&page=2&tag=").unwrap();
        let paging = Paging::new("/servers", query, &Pagination::new(2, 10, 100));
        assert_eq!(paging.url(&3), "/servers?sort=votes&page=3");
        assert_eq!(paging.url(&1), "/servers?sort=votes");
        assert_eq!(paging.from, 11);
    }
}
