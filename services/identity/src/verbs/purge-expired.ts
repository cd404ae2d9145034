import { purgeInvalidations } from '@payments/chassis/database/authorization-version'
import { runPurges } from '@payments/chassis/database/purges'
import { purgeIdempotencyKeys } from '@payments/chassis/request/idempotency'
import type { Deps } from '../deps.ts'
import { purgeEndReasons, purgeSessions } from '../store/sessions.ts'
import { purgeSignIns } from '../store/sign-ins.ts'
import { purgeInvitations, purgeTokens } from '../store/user-invitations.ts'
import { markUnused, purgeUnused } from '../store/users.ts'

/** The gateway reports the uses of a session with a delay. */
const idleGraceMs = 5 * 60_000

/**
 * Deletes expired Idempotency-Keys, sign-ins and sessions, the reasons of ended sessions after a day, invitations 90
 * days after their end, persons who have been a user of no tenant for 30 days, and authorization changes older than 15
 * minutes. Each purge has a limit per run.
 */
export async function purgeExpired({ db, sessionLimits }: Pick<Deps, 'db' | 'sessionLimits'>): Promise<void> {
  await runPurges(db, [
    purgeIdempotencyKeys,
    purgeSignIns,
    (tx) => purgeSessions(tx, sessionLimits.idleMs + idleGraceMs),
    purgeEndReasons,
    purgeTokens,
    purgeInvitations,
    purgeInvalidations,
    markUnused,
    purgeUnused,
  ])
}
