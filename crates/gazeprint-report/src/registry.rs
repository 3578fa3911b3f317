//! Enums that know all their variants.

/// An enum with `ALL`, in the order in which its variants are written. `ALL` is made from the same
/// list as the variants, so that none can be forgotten.
macro_rules! registry {
    (
        $(#[$about:meta])*
        $visible:vis enum $name:ident {
            $($(#[$what:meta])* $variant:ident,)+
        }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $visible enum $name {
            $($(#[$what])* $variant,)+
        }

        impl $name {
            /// Every one, in the order in which they are shown.
            $visible const ALL: &'static [Self] = &[$(Self::$variant,)+];
        }
    };
}

pub(crate) use registry;
