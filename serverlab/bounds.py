"""Numbers of files, which others may have written: types with bounds that arithmetic can bear.

What lies outside is refused where it is read, with its place: msgspec checks it. What lies inside
can be squared and added up without leaving the range of a double.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

WHOLE_MAX = 2**63 - 1  # what 64 bits of a kernel or of a native program hold
FIGURE_MAX = 1e19  # a century has 3.2e18 ns
SECONDS_MAX = 100 * 365 * 24 * 3600.0  # a century, as for the native programs
BLOCKS_LIMIT = 1000  # of a run

Whole = Annotated[int, msgspec.Meta(ge=-WHOLE_MAX, le=WHOLE_MAX)]
Count = Annotated[int, msgspec.Meta(ge=0, le=WHOLE_MAX)]
Number = Annotated[int, msgspec.Meta(ge=1, le=WHOLE_MAX)]  # of what there is at least one
Figure = Annotated[float, msgspec.Meta(ge=-FIGURE_MAX, le=FIGURE_MAX)]
Amount = Annotated[float, msgspec.Meta(ge=0, le=FIGURE_MAX)]
Seconds = Annotated[float, msgspec.Meta(ge=0, le=SECONDS_MAX)]
Share = Annotated[float, msgspec.Meta(gt=0, lt=1)]
Blocks = Annotated[int, msgspec.Meta(ge=0, le=BLOCKS_LIMIT)]
