import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { purgeExpired } from '../src/verbs/purge-expired.ts'
import { type SignInWorld, startSignInWorld } from './sign-in-world.ts'

let world: SignInWorld
beforeAll(async () => {
  world = await startSignInWorld()
})
afterAll(() => world.stop())

type SignedIn = Awaited<ReturnType<SignInWorld['signedIn']>>
type Tenant = Awaited<ReturnType<SignInWorld['tenant']>>

const general = 'Your session has ended.'

/** The text of the sign-in page about the session of the browser. Null without one, and in a session. */
async function reasonIn(browser: Pick<SignedIn['browser'], 'get'>): Promise<string | null> {
  const { status, text } = await browser.get('/session/sign-in')
  if (status === 303) return null
  expect(status).toBe(200)
  return /<p class="notice">([^<]*)<\/p>/.exec(text)?.[1] ?? null
}

const age = (column: string, id: string) =>
  world.rows(`UPDATE sessions SET ${column} = now() - interval '2 hours' WHERE id = $1::uuid RETURNING id`, id)

type End = (signedIn: SignedIn, tenant: Tenant) => Promise<unknown>

const ends: readonly (readonly [string, End, string])[] = [
  [
    'without a use for an hour',
    ({ session }) => age('last_seen_at', session.session_id),
    'Your session ended because it was not used for some time.',
  ],
  ['at its end', ({ session }) => age('expires_at', session.session_id), 'Your session reached its maximum length.'],
  [
    'by an administrator',
    ({ session }, tenant) => tenant.by().endSession(session.session_id),
    'An administrator of your organization ended your session.',
  ],
  [
    'with all sessions of the user by an administrator',
    ({ userId }, tenant) => tenant.by().endAllSessions(userId),
    'An administrator of your organization ended your session.',
  ],
  [
    'by the person in another session',
    async ({ session, userId }, tenant) => {
      const caller = { userId, sessionId: crypto.randomUUID() }
      await world
        .createCallers(world.app)
        .asSession(tenant.id, caller, [])
        .delete(`/v1/identity/sessions/${session.session_id}`)
    },
    'You ended this session from another one.',
  ],
  [
    'by an operator',
    (_, tenant) => world.asOperator.endAllSessions(tenant.id),
    'The operator of this service ended your session.',
  ],
  [
    'by the sign-in provider',
    ({ browser, person }) =>
      browser.post('/session/back-channel-logout', {
        logout_token: world.provider.logoutToken({ sub: person.subject }),
      }),
    'You signed out at your sign-in provider, or it ended your session.',
  ],
  [
    'as the user is disabled',
    ({ userId }, tenant) => tenant.by().updateUser(userId, { enabled: false }),
    'An administrator disabled your access to the organization.',
  ],
  [
    'as the user is removed',
    ({ userId }, tenant) => tenant.by().removeUser(userId),
    'You were removed from the organization.',
  ],
]

describe.each(ends)('a session that ended %s', (_, end, reason) => {
  test('has its reason on the sign-in page of its browser alone, also after the purge, for a day', async () => {
    const tenant = await world.tenant()
    const signedIn = await world.signedIn(tenant)
    expect(await reasonIn(signedIn.browser)).toBeNull()
    await end(signedIn, tenant)
    expect(await world.identify(signedIn.value)).toBeNull()
    expect(await reasonIn(signedIn.browser)).toBe(reason)
    await purgeExpired(world.deps)
    expect(await reasonIn(signedIn.browser)).toBe(reason)
    expect(await reasonIn(world.browser())).toBeNull()
    const old = `UPDATE ended_sessions SET ended_at = now() - interval '25 hours' WHERE tenant_id = $1::uuid RETURNING 1`
    expect(await world.rows(old, tenant.id)).toHaveLength(1)
    await purgeExpired(world.deps)
    expect(await reasonIn(signedIn.browser)).toBe(general)
  })
})

test('the eleventh session of a person says why the first one ended', async () => {
  const { browser, person } = await world.signedIn(await world.tenant())
  for (let i = 0; i < 10; i += 1) {
    world.provider.signInAs(person)
    await world.browser().signIn('acme')
  }
  expect(await reasonIn(browser)).toBe('You signed in on many devices, so the session that was not used longest ended.')
})

test('a value that was replaced or never existed gets no reason, and a signed-out browser nothing', async () => {
  const { browser, value, person } = await world.signedIn(await world.tenant())
  world.provider.signInAs(person)
  expect((await browser.stepUp()).status).toBe(303)
  const [replaced, invented] = [world.browser(), world.browser()]
  replaced.cookies.set('__Host-session', { value, sameSite: 'Strict' })
  invented.cookies.set('__Host-session', { value: world.deps.sessionValues.generate().value, sameSite: 'Strict' })
  expect([await reasonIn(replaced), await reasonIn(invented)]).toEqual([general, general])
  await browser.post('/session/sign-out', {})
  expect(await reasonIn(browser)).toBeNull()
})

test('stores neither the value of a session nor its person', async () => {
  const tenant = await world.tenant()
  const { userId, value } = await world.signedIn(tenant)
  await tenant.by().removeUser(userId)
  const rows = await world.rows<{ row: string }>(
    'SELECT e::text AS row FROM ended_sessions e WHERE tenant_id = $1::uuid',
    tenant.id,
  )
  expect(rows).toHaveLength(1)
  for (const secret of [value, userId]) expect(JSON.stringify(rows)).not.toContain(secret)
})
