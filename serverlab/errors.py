"""What can go wrong that a person should read as one sentence, without a traceback."""


class LabError(Exception):
    """The request is in order, but it cannot be carried out."""


class RefusedError(LabError):
    """A program says that it cannot do what it was asked for."""


class UsageError(LabError):
    """The request itself is not in order: an option, an experiment file, a name."""
