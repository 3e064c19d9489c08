"""Ledgers of what the reports guessed a cause for: the CPU time that they could not see."""

from __future__ import annotations

from serverlab.claims.ledger import LedgerOf
from serverlab.claims.reports.buckets_runs import STRATEGIES
from serverlab.claims.reports.forum_runs import PARSER_AND_LOCK
from serverlab.claims.reports.kv511_runs import SESSIONS
from serverlab.claims.reports.thesis_runs import POOL

LOCK_OR_PARSER = LedgerOf(
    name="forum-lock-or-parser",
    shows="The forum with the report's expressions, beside one that looks at the first bytes; as "
    "many clients read as post. A lock that readers wait for is time off the CPU, in futex.",
    excerpt=PARSER_AND_LOCK,
    servers={
        "prefix": {"forum-lock": "shared", "forum-parser": "prefix"},
        "regex": {"forum-lock": "shared", "forum-parser": "regex"},
    },
)
POOL_TIMER = LedgerOf(
    name="thesis-pool-timer",
    shows="The thesis's pool with its timer of a millisecond, beside one that is woken, at 50 "
    "connections. What the timer saves or costs of a request is in poll, and in how often the two "
    "wake each other; the millisecond that a connection waits is no CPU time.",
    excerpt=POOL,
    servers={
        "pool-woken": {"engine": "pool-woken", "connections": 50},
        "pool-as-published": {"engine": "pool-as-published", "connections": 50},
    },
)
THREADS_OR_LOOP = LedgerOf(
    name="kv511-threads-or-loop",
    shows="The report's two servers, with 5 clients that take no time of their own. Were the "
    "servers alike, there would be no difference.",
    excerpt=SESSIONS,
    servers={
        "asynchronous": {"engine": "asynchronous", "connections": 5},
        "multithreaded": {"engine": "multithreaded", "connections": 5},
    },
)
THREAD_EACH = LedgerOf(
    name="buckets-thread-each",
    shows="Both strategies with requests that are no work, so that what is left is what they cost "
    "themselves. A thread is created in clone3, and ends in madvise, munmap and exit.",
    excerpt=STRATEGIES,
    servers={"pre": {"engine": "pre-works"}, "per": {"engine": "per-works"}},
    load={"bucket-delay": "0-0"},
)
