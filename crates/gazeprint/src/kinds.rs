//! Closed sets of kinds, and arrays with one value for each.
//!
//! Whoever adds a kind is told by the compiler wherever kinds matter: arrays have another length, and
//! matches are no longer exhaustive.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// One of a closed set.
pub trait Kind: Copy + 'static {
    /// All of the set, in order.
    const KINDS: &'static [Self];

    /// Its place among them.
    fn place(self) -> usize;
}

/// A value for each of `N` kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct By<K, T, const N: usize> {
    values: [T; N],
    kinds: PhantomData<K>,
}

impl<K: Kind, T, const N: usize> By<K, T, N> {
    /// A value for each kind, in their order.
    pub fn of(mut value: impl FnMut(K) -> T) -> Self {
        Self::from(std::array::from_fn(|place| value(K::KINDS[place])))
    }

    /// The values, in the order of their kinds.
    pub fn values(&self) -> &[T; N] {
        &self.values
    }

    /// The same, to be changed.
    pub fn values_mut(&mut self) -> &mut [T; N] {
        &mut self.values
    }

    /// Each kind with its value.
    pub fn iter(&self) -> impl Iterator<Item = (K, &T)> {
        K::KINDS.iter().copied().zip(&self.values)
    }

    /// Another value for each.
    pub fn map<U>(self, value: impl FnMut(T) -> U) -> By<K, U, N> {
        By::from(self.values.map(value))
    }
}

impl<K, T, const N: usize> From<[T; N]> for By<K, T, N> {
    fn from(values: [T; N]) -> Self {
        Self { values, kinds: PhantomData }
    }
}

impl<K: Kind, T, const N: usize> Index<K> for By<K, T, N> {
    type Output = T;

    #[inline(always)]
    fn index(&self, kind: K) -> &T {
        &self.values[kind.place()]
    }
}

impl<K: Kind, T, const N: usize> IndexMut<K> for By<K, T, N> {
    #[inline(always)]
    fn index_mut(&mut self, kind: K) -> &mut T {
        &mut self.values[kind.place()]
    }
}

/// Defines a closed set of kinds, with `ALL` and `COUNT` of them and, where it is named, the array that has a value
/// for each.
macro_rules! kinds {
    (
        $(#[$of_set:meta])*
        $vis:vis enum $name:ident $(, one of each in $by:ident)? {
            $($(#[$of_kind:meta])* $kind:ident,)+
        }
    ) => {
        $(#[$of_set])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis enum $name {
            $($(#[$of_kind])* $kind,)+
        }

        impl $name {
            /// All of them, in the order of every table.
            $vis const ALL: [Self; Self::COUNT] = [$(Self::$kind,)+];
            /// How many there are.
            $vis const COUNT: usize = [$(Self::$kind,)+].len();
        }

        impl $crate::kinds::Kind for $name {
            const KINDS: &'static [Self] = &Self::ALL;

            #[inline(always)]
            fn place(self) -> usize {
                self as usize
            }
        }

        $(
            /// One value for each.
            $vis type $by<T> = $crate::kinds::By<$name, T, { $name::COUNT }>;
        )?
    };
}

pub(crate) use kinds;
