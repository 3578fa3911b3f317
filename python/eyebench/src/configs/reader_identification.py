"""Reader identification: which of the readers of the training trials made a trial?

Every dataset whose readers read several passages supports it: the label is the column of subjects. The classes are the
readers of the training trials of a fold, so they are known when the fold is.
"""

from dataclasses import dataclass, field

from src.configs.constants import Fields, PredMode
from src.configs.data import MECOL2, SBSAT, CopCo, OneStop, PoTeC
from src.configs.utils import register_data


@register_data
@dataclass
class OneStop_RID(OneStop):
    """Readers of OneStop."""

    task: PredMode = PredMode.RID
    target_column: str = Fields.SUBJECT_ID
    class_names: list[str] = field(default_factory=lambda: ['other reader', 'reader'])


@register_data
@dataclass
class SBSAT_RID(SBSAT):
    """Readers of SB-SAT."""

    task: PredMode = PredMode.RID
    target_column: str = Fields.SUBJECT_ID
    class_names: list[str] = field(default_factory=lambda: ['other reader', 'reader'])


@register_data
@dataclass
class PoTeC_RID(PoTeC):
    """Readers of PoTeC."""

    task: PredMode = PredMode.RID
    target_column: str = Fields.SUBJECT_ID
    class_names: list[str] = field(default_factory=lambda: ['other reader', 'reader'])


@register_data
@dataclass
class CopCo_RID(CopCo):
    """Readers of CopCo."""

    task: PredMode = PredMode.RID
    target_column: str = Fields.SUBJECT_ID
    class_names: list[str] = field(default_factory=lambda: ['other reader', 'reader'])


@register_data
@dataclass
class MECOL2_RID(MECOL2):
    """Readers of MECO L2."""

    task: PredMode = PredMode.RID
    target_column: str = Fields.SUBJECT_ID
    class_names: list[str] = field(default_factory=lambda: ['other reader', 'reader'])
