import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { readTitle, type TestBrowser, verifiedClaims } from './browsers.ts'
import { type SignInWorld, startSignInWorld } from './sign-in-world.ts'
import { newEmail } from './world.ts'

const otherTenant = randomUUID()
let world: SignInWorld
beforeAll(async () => {
  world = await startSignInWorld({ limited: { tenants: [otherTenant] } })
})
afterAll(() => world.stop())
afterEach(() => world.provider.become(null))

const open = (browser: TestBrowser, token: string) => browser.post('/session/accept', { token })
const readStatus = async (tenantId: string, id: string) => {
  const [row] = await world.rows<{ accepted_at: Date | null }>(
    'SELECT accepted_at FROM user_invitations WHERE tenant_id = $1::uuid AND id = $2::uuid',
    tenantId,
    id,
  )
  return row?.accepted_at === null ? 'open' : 'accepted'
}

test('a new person accepts with the link, and enters the tenant', async () => {
  const tenant = await world.tenant()
  const { id, email, token } = await world.invite(tenant)
  const browser = world.browser()
  world.provider.signInAs({ subject: randomUUID(), claims: verifiedClaims(email.toLowerCase()) })
  expect((await browser.signInByLink(token)).status).toBe(303)
  const session = await world.identify(browser.cookie('__Host-session') ?? '')
  expect(session).toMatchObject({ tenant_id: tenant.id, role_ids: [tenant.viewerRole] })
  expect(await readStatus(tenant.id, id)).toBe('accepted')
  expect(await world.rows(`SELECT 1 FROM sign_ins WHERE purpose = 'accept' AND invitation_id = $1::uuid`, id)).toEqual(
    [],
  )
})

test('the Kelvin sign is another mailbox than k, and a domain in another form is the same', async () => {
  const tenant = await world.tenant()
  const kate = `kate.${randomUUID()}@example.com`
  const { id, token } = await world.invite(tenant, kate)
  world.provider.signInAs({ subject: randomUUID(), claims: verifiedClaims(kate.replace('k', '\u212a')) })
  const refused = await world.browser().signInByLink(token)
  expect(refused.status).not.toBe(303)
  expect(await readStatus(tenant.id, id)).toBe('open')
  const anne = `ÄNNE.${randomUUID()}`
  const other = await world.invite(tenant, `${anne}@BÜCHER.example`)
  world.provider.signInAs({ subject: randomUUID(), claims: verifiedClaims(`${anne}@xn--bcher-kva.example`) })
  expect((await world.browser().signInByLink(other.token)).status).toBe(303)
  expect(await readStatus(tenant.id, other.id)).toBe('accepted')
})

test('an invitation for a mailbox with the Kelvin sign is not offered to the one with k', async () => {
  const tenant = await world.tenant()
  const kate = `kate.${randomUUID()}@example.com`
  const { id, token } = await world.invite(tenant, kate.replace('k', '\u212a'))
  world.provider.signInAs({ subject: randomUUID(), claims: verifiedClaims(kate) })
  expect((await world.browser().signInByLink(token)).status).not.toBe(303)
  expect((await world.browser().signIn('acme')).status).not.toBe(303)
  expect(await readStatus(tenant.id, id)).toBe('open')
})

test('a user of another tenant accepts with the link, keeps both, and enters the new one', async () => {
  const [first, second] = [await world.tenant(), await world.tenant()]
  const { browser, email, userId } = await world.signedIn(first)
  const { token } = await world.invite(second, email)
  expect((await browser.signInByLink(token)).status).toBe(303)
  expect(await world.identify(browser.cookie('__Host-session') ?? '')).toMatchObject({
    tenant_id: second.id,
    user_id: userId,
  })
  expect(await world.rows('SELECT 1 FROM memberships WHERE user_id = $1::uuid', userId)).toHaveLength(2)
})

test('two tabs of a browser each accept the invitation of their own link', async () => {
  const [first, second] = [await world.tenant(), await world.tenant()]
  const { id, email, token } = await world.invite(first)
  const other = await world.invite(second, email)
  world.provider.signInAs({ subject: randomUUID(), claims: verifiedClaims(email) })
  const browser = world.browser()
  const [one, two] = [await browser.open(token), await browser.open(other.token)]
  expect((await browser.callback(await browser.begin(`${one}&provider=acme`))).status).toBe(303)
  const session = await world.identify(browser.cookie('__Host-session') ?? '')
  expect(session.tenant_id).toBe(first.id)
  expect([await readStatus(first.id, id), await readStatus(second.id, other.id)]).toEqual(['accepted', 'open'])
  expect((await browser.get(two)).text).toContain('Accept your invitation')
  expect((await browser.callback(await browser.begin(`${two}&provider=acme`))).status).toBe(303)
  expect(await world.identify(browser.cookie('__Host-session') ?? '')).toMatchObject({ tenant_id: second.id })
  expect(await readStatus(second.id, other.id)).toBe('accepted')
})

test.each([
  ['another address', () => verifiedClaims(newEmail()), 'The invitation is for another email address'],
  [
    'the invited address, unverified',
    (email: string) => verifiedClaims(email, { email_verified: false }),
    'Your email address is not verified',
  ],
])('with %s, nothing is accepted, and the person can choose another account', async (_, buildClaims, title) => {
  const tenant = await world.tenant()
  const { id, email, token } = await world.invite(tenant)
  const browser = world.browser()
  const before = await world.counts()
  world.provider.signInAs({ subject: randomUUID(), claims: buildClaims(email) })
  const response = await browser.signInByLink(token)
  expect([response.status, readTitle(response)]).toEqual([403, title])
  expect([await readStatus(tenant.id, id), await world.counts()]).toEqual(['open', before])
  const again = /href="([^"]*)">Begin again/.exec(response.text)?.[1] ?? ''
  expect(readTitle(await browser.get(again))).toBe('Accept your invitation')
  world.provider.signInAs({ subject: randomUUID(), claims: verifiedClaims(email) })
  await browser.callback(await browser.begin(`${again}&provider=acme`))
  expect(await readStatus(tenant.id, id)).toBe('accepted')
})

test('a link in the hands of another user gives them nothing', async () => {
  const tenant = await world.tenant()
  const { token, id } = await world.invite(tenant)
  const { browser, value, session } = await world.signedIn(await world.tenant())
  expect(readTitle(await browser.signInByLink(token))).toBe('The invitation is for another email address')
  expect(await world.identify(value)).toEqual(session)
  expect(await readStatus(tenant.id, id)).toBe('open')
})

test('an invitation is accepted once, also by ten browsers at once', async () => {
  const tenant = await world.tenant()
  const { email, token } = await world.invite(tenant)
  const subject = randomUUID()
  world.provider.signInAs({ subject, claims: verifiedClaims(email) })
  const browsers = Array.from({ length: 10 }, (_, index) => world.browser({ address: `192.0.2.${index + 100}` }))
  const callbacks = await Promise.all(browsers.map((browser) => browser.beginByLink(token)))
  const replies = await Promise.all(browsers.map((browser, index) => browser.callback(callbacks[index] ?? '')))
  expect(replies.map(({ status }) => status).sort((a, b) => a - b)).toEqual([
    303,
    ...Array.from({ length: 9 }, () => 410),
  ])
  const types = (await tenant.events()).map(({ type }) => type)
  expect(types.filter((type) => type === 'identity.user-invitations.accept')).toHaveLength(1)
  expect(await world.rows('SELECT 1 FROM memberships WHERE tenant_id = $1::uuid', tenant.id)).toHaveLength(1)
})

test('an unknown token gets a page, and no cookie', async () => {
  const browser = world.browser()
  const response = await open(browser, 'x'.repeat(43))
  expect([response.status, readTitle(response)]).toEqual([404, 'This invitation does not exist'])
  expect(browser.cookies.size).toBe(0)
})

test.each([
  ['no token', {}],
  ['two tokens', `token=${'x'.repeat(43)}&token=${'y'.repeat(43)}`],
  ['a malformed token', { token: 'short' }],
])('a form with %s gets a page', async (_, form) => {
  const response = await world.browser().post('/session/accept', form)
  expect([response.status, readTitle(response)]).toEqual([400, 'The request cannot be read'])
})

test('an accepted, a canceled and an expired invitation each get a page', async () => {
  const tenant = await world.tenant()
  const [accepted, canceled, expired] = [
    await world.invite(tenant),
    await world.invite(tenant),
    await world.invite(tenant),
  ]
  world.provider.signInAs({ subject: randomUUID(), claims: verifiedClaims(accepted.email) })
  await world.browser().signInByLink(accepted.token)
  await tenant.by().cancel(canceled.id).expect(200)
  await world.rows(
    `UPDATE user_invitations SET expires_at = now() - interval '1 second' WHERE id = $1::uuid`,
    expired.id,
  )
  const outcomes = await Promise.all(
    [accepted, canceled, expired].map(async ({ token }) => {
      const response = await open(world.browser(), token)
      return [response.status, readTitle(response)]
    }),
  )
  expect(outcomes).toEqual([
    [409, 'This invitation was accepted before'],
    [410, 'This invitation is not open any more'],
    [410, 'This invitation is not open any more'],
  ])
})

test('an invitation that is canceled while the person signs in is not accepted', async () => {
  const tenant = await world.tenant()
  const { id, email, token } = await world.invite(tenant)
  const browser = world.browser()
  world.provider.signInAs({ subject: randomUUID(), claims: verifiedClaims(email) })
  const callback = await browser.beginByLink(token)
  await tenant.by().cancel(id).expect(200)
  const before = await world.counts()
  const response = await browser.callback(callback)
  expect([response.status, readTitle(response)]).toEqual([410, 'This invitation is not open any more'])
  expect(await world.counts()).toEqual(before)
})

test('an invitation that is canceled before the person chooses a provider is explained', async () => {
  const tenant = await world.tenant()
  const { id, token } = await world.invite(tenant)
  const browser = world.browser()
  const opened = (await browser.post('/session/accept', { token })).headers['location'] ?? ''
  await tenant.by().cancel(id).expect(200)
  for (const page of [opened, opened.replace('?', '?provider=acme&')]) {
    const response = await browser.get(page)
    expect([response.status, readTitle(response)]).toEqual([410, 'This invitation is not open any more'])
  }
})

test('an invitation into a suspended tenant is not accepted', async () => {
  const tenant = await world.tenant()
  const { id, email, token } = await world.invite(tenant)
  await world.rbac.asPayctl.suspendTenant({ traceId: randomUUID() }, { params: { tenant_id: tenant.id } })
  const browser = world.browser()
  world.provider.signInAs({ subject: randomUUID(), claims: verifiedClaims(email) })
  expect(readTitle(await browser.signInByLink(token))).toBe('Your organization is suspended')
  expect(await readStatus(tenant.id, id)).toBe('open')
})

test('at a provider of other tenants, an invitation has no effect', async () => {
  const tenant = await world.tenant()
  const { id, email, token } = await world.invite(tenant)
  const browser = world.browser()
  world.provider.signInAs({ subject: randomUUID(), claims: verifiedClaims(email) })
  expect(readTitle(await browser.signInByLink(token, 'limited'))).toBe('You are not a user yet')
  expect(await readStatus(tenant.id, id)).toBe('open')
})

test('no location, cookie or row has the token', async () => {
  const { token } = await world.invite(await world.tenant())
  const browser = world.browser()
  const { headers } = await open(browser, token)
  expect(JSON.stringify(headers)).not.toContain(token)
  const rows = await world.rows<{ found: string }>('SELECT sign_ins::text AS found FROM sign_ins')
  expect(rows.length).toBeGreaterThan(0)
  expect(JSON.stringify(rows)).not.toContain(token)
})
