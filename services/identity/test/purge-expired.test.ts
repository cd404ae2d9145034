import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { purgeRowsMax } from '@payments/chassis/database/purges'
import { purgeSuite } from '@payments/testing/suites/purge'
import { startJobs } from '../src/jobs.ts'
import { purgeEndReasons } from '../src/store/sessions.ts'
import { purgeSignIns } from '../src/store/sign-ins.ts'
import { purgeExpired } from '../src/verbs/purge-expired.ts'
import { newEmail, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const invitation = (columns: string, values: string) =>
  `(id, tenant_id, token_hash, created_by, trace_id, message_id, ${columns})
   VALUES ($1::text::uuid, gen_random_uuid(), decode(md5($1), 'hex'), 'test', gen_random_uuid(), gen_random_uuid(), ${values})`
const age = 'now() - $2::text::interval'
const ended = { expiredAge: '91 days', retainedAge: '89 days' }

/** A session of the user with the id that is also the key. */
const session = (times: string) =>
  `(id, tenant_id, user_id, kind, pepper_kid, index_hmac, authenticated_at, last_seen_at, expires_at, ip, provider_id,
    issuer, subject)
   SELECT user_id, tenant_id, user_id, 'browser', 'p', decode(md5($1), 'hex'), now(), ${times}, '::1', 'test', 'test',
          'test' FROM memberships WHERE user_id = $1::text::uuid`

purgeSuite(
  () => world,
  ({ deps }) => startJobs(deps),
  [
    {
      table: 'sessions',
      key: 'id',
      row: session(`now(), ${age}`),
      expiredAge: '1 second',
      retainedAge: '-1 minute',
      newKey: () => world.unusedMember(),
    },
    {
      table: 'sessions',
      key: 'id',
      row: session(`${age}, now() + interval '1 hour'`),
      expiredAge: '66 minutes',
      retainedAge: '59 minutes',
      newKey: () => world.unusedMember(),
    },
    {
      table: 'sign_ins',
      key: 'id',
      row: `(id, purpose, browser_hash, address, expires_at)
        VALUES ($1::text::uuid, 'sign_in', decode(md5($1), 'hex'), '::1', ${age})`,
      expiredAge: '1 second',
      retainedAge: '-1 minute',
    },
    {
      table: 'ended_sessions',
      key: 'tenant_id',
      row: `(tenant_id, pepper_kid, index_hmac, reason, ended_at)
        VALUES ($1::text::uuid, 'p', decode(md5($1), 'hex'), 'idle', ${age})`,
      expiredAge: '25 hours',
      retainedAge: '23 hours',
    },
    { table: 'user_invitations', key: 'id', row: invitation('expires_at', age), ...ended },
    {
      table: 'user_invitations',
      key: 'id',
      row: invitation('accepted_at, expires_at', `${age}, now()`),
      ...ended,
    },
    {
      table: 'user_invitations',
      key: 'id',
      row: invitation('canceled_at, expires_at', `${age}, now()`),
      ...ended,
    },
    {
      table: 'users',
      key: 'id',
      row: `(id, unused_since) VALUES ($1::text::uuid, ${age})`,
      expiredAge: '31 days',
      retainedAge: '29 days',
    },
  ],
)

test('an expired invitation loses its encrypted token and its mail; an open one keeps both', async () => {
  const tenant = await world.tenant()
  const invite = async () => (await tenant.by().invite({ email: newEmail(), role_ids: [] })).body.id
  const [expired, open] = [await invite(), await invite()]
  await world.rows(
    `UPDATE user_invitations SET expires_at = now() - interval '1 second' WHERE id = $1::uuid RETURNING id`,
    expired,
  )
  await purgeExpired(world.deps)
  expect(await tenant.invitation(expired)).toMatchObject({ token_encrypted: null, mail_due_at: null })
  expect((await tenant.invitation(open))?.['token_encrypted']).not.toBeNull()
  expect((await tenant.by().readInvitation(expired)).body.status).toBe('expired')
})

test('a person of no tenant is marked, and stays for 30 days; a user of a tenant is not marked', async () => {
  const tenant = await world.tenant()
  const [gone, member] = [await tenant.member(), await tenant.member()]
  await tenant.by().removeUser(gone.id)
  await purgeExpired(world.deps)
  const unused = await world.rows('SELECT id FROM users WHERE unused_since IS NOT NULL AND id = ANY ($1::uuid[])', [
    gone.id,
    member.id,
  ])
  expect(unused).toEqual([{ id: gone.id }])
  await world.rows(
    `UPDATE users SET unused_since = now() - interval '31 days' WHERE id = $1::uuid RETURNING id`,
    gone.id,
  )
  await purgeExpired(world.deps)
  expect(await world.rows('SELECT 1 FROM user_subjects WHERE user_id = $1::uuid', gone.id)).toEqual([])
  expect((await tenant.by().readUser(member.id)).status).toBe(200)
})

test('a person who joined a tenant again is not deleted', async () => {
  const tenant = await world.tenant()
  const user = await tenant.member()
  await world.rows(
    `UPDATE users SET unused_since = now() - interval '31 days' WHERE id = $1::uuid RETURNING id`,
    user.id,
  )
  await purgeExpired(world.deps)
  expect((await tenant.by().readUser(user.id)).status).toBe(200)
})

test('deletes authorization changes older than 15 minutes, and no others', async () => {
  const tenant = await world.tenant()
  for (let i = 0; i < 2; i += 1) {
    const session = await (await tenant.member()).signIn()
    await session.by().endSession(session.id)
  }
  const oldest = 'SELECT min(epoch)::int AS epoch FROM authz_invalidations'
  const [first] = await world.rows<{ epoch: number }>(oldest)
  await world.rows(
    `UPDATE authz_invalidations SET recorded_at = now() - interval '16 minutes' WHERE epoch = $1 RETURNING 1`,
    first?.epoch,
  )
  await purgeExpired(world.deps)
  expect(await world.rows(oldest)).toEqual([{ epoch: (first?.epoch ?? 0) + 1 }])
})

test.each([
  {
    table: 'sign_ins',
    row: `(id, purpose, browser_hash, address, expires_at)
      SELECT gen_random_uuid(), 'sign_in', '', '::1', now() - n * interval '1 minute'`,
    purge: purgeSignIns,
  },
  {
    table: 'ended_sessions',
    row: `(tenant_id, pepper_kid, index_hmac, reason, ended_at)
      SELECT gen_random_uuid(), 'p', decode(md5(n::text), 'hex'), 'idle', now() - interval '2 days' - n * interval '1 minute'`,
    purge: purgeEndReasons,
  },
])('a batch of $table has no more rows than its limit, also by a nested loop', async ({ table, row, purge }) => {
  await purgeExpired(world.deps)
  await world.rows(`INSERT INTO ${table} ${row} FROM generate_series(1, $1::int) AS n RETURNING 1`, purgeRowsMax + 1)
  const purgeByNestedLoop = () =>
    world.db.acrossTenants(async (tx) => {
      // The plan that the session has cached takes no notice of these settings.
      await tx.$executeRawUnsafe('SET LOCAL plan_cache_mode = force_custom_plan')
      for (const method of ['hashjoin', 'mergejoin', 'hashagg', 'sort', 'material']) {
        await tx.$executeRawUnsafe(`SET LOCAL enable_${method} = off`)
      }
      return purge(tx)
    })
  const deleted: number[] = []
  while (deleted.at(-1) !== 0) deleted.push(await purgeByNestedLoop())
  expect(deleted).toEqual([purgeRowsMax, 1, 0])
})
