import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { readTitle, type TestBrowser, verifiedClaims } from './browsers.ts'
import { type SignInWorld, startSignInWorld } from './sign-in-world.ts'
import { newEmail, type TestTenant } from './world.ts'

let world: SignInWorld
beforeAll(async () => {
  world = await startSignInWorld()
})
afterAll(() => world.stop())

const readTenant = async (browser: TestBrowser): Promise<string | null> =>
  (await world.identify(browser.cookie('__Host-session') ?? ''))?.tenant_id ?? null

/** A user of two tenants, signed out. The second one is the last that they signed in to. */
async function userOfTwo() {
  const [first, second] = [await world.tenant(), await world.tenant()]
  const signedIn = await world.signedIn(first)
  await world.join(second.id, signedIn.userId, [second.viewerRole])
  await signedIn.browser.post('/session/switch-tenant', { tenant_id: second.id })
  await signedIn.browser.post('/session/sign-out', {})
  world.provider.signInAs(signedIn.person)
  return { ...signedIn, first, second }
}

/** The callback of a sign-in that a page requested. */
const signInFor = (browser: TestBrowser, tenant: TestTenant) =>
  browser.signIn('acme', `&return_to=/console/keys&tenant_id=${tenant.id}`)

const readValues = (text: string, name: string) =>
  [...text.matchAll(new RegExp(`name="${name}" value="([^"]+)"`, 'g'))].map(([, value]) => value)

describe('a person of several tenants', () => {
  test('returns to the tenant of the page that requested the sign-in', async () => {
    const { browser, first, second } = await userOfTwo()
    for (const tenant of [first, second]) {
      const response = await signInFor(browser, tenant)
      expect([response.status, response.headers['location']]).toEqual([303, '/console/keys'])
      expect(await readTenant(browser)).toBe(tenant.id)
    }
  })

  test('chooses where no page requested, the last one first, and gets no session before', async () => {
    const { browser, first, second, email } = await userOfTwo()
    const { headers } = await browser.signIn('acme', '&return_to=/console/keys')
    const location = headers['location'] ?? ''
    expect([location.split('?')[0], await readTenant(browser)]).toEqual(['/session/choose-tenant', null])
    const page = await browser.get(location)
    expect(readTitle(page)).toBe('Choose an organization')
    expect(page.text).toContain(`<bdi>Grace Hopper</bdi> (<bdi>${email}</bdi>)`)
    expect(page.text).not.toContain('class="notice"')
    expect(readValues(page.text, 'tenant_id')).toEqual([second.id, first.id])
    const chosen = await browser.choose(location, { tenant_id: first.id })
    expect([chosen.status, chosen.headers['location'], await readTenant(browser)]).toEqual([
      303,
      '/console/keys',
      first.id,
    ])
    const again = await browser.choose(location, { tenant_id: second.id })
    expect([again.headers['location'], await readTenant(browser)]).toEqual(['/console/keys', first.id])
    expect((await browser.get(location)).headers['location']).toBe('/console/keys')
  })

  test('chooses with the reason after they lost the tenant of the page, also where one is left', async () => {
    const { browser, first, second, userId } = await userOfTwo()
    await second.by().removeUser(userId).expect(204)
    const { headers } = await signInFor(browser, second)
    const page = await browser.get(headers['location'] ?? '')
    expect(page.text).toContain('You cannot use the organization of the page that you came from')
    expect(readValues(page.text, 'tenant_id')).toEqual([first.id])
    await browser.choose(headers['location'] ?? '', { tenant_id: first.id })
    expect(await readTenant(browser)).toBe(first.id)
  })

  test('is in no tenant of another person, nor in one that disabled or suspended them meanwhile', async () => {
    const { browser, first, second, userId } = await userOfTwo()
    const { headers } = await browser.signIn('acme')
    const location = headers['location'] ?? ''
    await world.rbac.asPayctl.suspendTenant({ traceId: randomUUID() }, { params: { tenant_id: second.id } })
    for (const tenantId of [second.id, (await world.tenant()).id, randomUUID()]) {
      expect((await browser.choose(location, { tenant_id: tenantId })).headers['location']).toBe(location)
      expect(await readTenant(browser)).toBeNull()
    }
    await first.member([first.adminRole])
    await first.by().updateUser(userId, { enabled: false }).expect(200)
    const refused = await browser.choose(location, { tenant_id: first.id })
    expect([refused.status, readTitle(refused)]).toEqual([403, 'Your organization is suspended'])
    expect(await readTenant(browser)).toBeNull()
  })

  test('gets one session of ten choices at once', async () => {
    const { browser, first, second, userId } = await userOfTwo()
    const { headers } = await browser.signIn('acme')
    const choices = Array.from({ length: 10 }, (_, index) =>
      browser.choose(headers['location'] ?? '', { tenant_id: (index % 2 === 0 ? first : second).id }),
    )
    const replies = await Promise.all(choices)
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 303))
    expect(replies.filter(({ headers: sent }) => sent['set-cookie'] !== undefined)).toHaveLength(1)
    expect(await world.rows('SELECT 1 FROM sessions WHERE user_id = $1::uuid', userId)).toHaveLength(1)
  })

  test('chooses in the browser that signed in, for ten minutes, and not after a sign-out', async () => {
    const { browser, first } = await userOfTwo()
    const { headers } = await browser.signIn('acme')
    const location = headers['location'] ?? ''
    const decision = { tenant_id: first.id }
    const other = await world.browser().choose(location, decision)
    expect([other.status, readTitle(other)]).toEqual([410, 'This sign-in is over'])
    const id = new URL(location, 'https://console.example').searchParams.get('sign_in')
    await world.rows(`UPDATE sign_ins SET expires_at = now() - interval '1 second' WHERE id = $1::uuid`, id)
    expect((await browser.choose(location, decision)).status).toBe(410)
    const again = (await browser.signIn('acme')).headers['location'] ?? ''
    await browser.post('/session/sign-out', {})
    expect([(await browser.choose(again, decision)).status, await readTenant(browser)]).toEqual([410, null])
  })

  test('a callback that is loaded again leads to the choice, and no row shows who signed in', async () => {
    const { browser, email, person } = await userOfTwo()
    const callback = await browser.begin('/session/sign-in?provider=acme')
    const { headers } = await browser.callback(callback)
    expect((await browser.callback(callback)).headers['location']).toBe(headers['location'])
    const rows = await world.rows<{ row: string }>('SELECT s::text AS row FROM sign_ins s')
    const stored = rows.map(({ row }) => row).join('\n')
    const texts = [email, person.subject, 'Grace'].flatMap((text) => [text, Buffer.from(text).toString('hex')])
    for (const text of texts) expect(stored).not.toContain(text)
  })

  test.each([
    ['no decision', {}],
    ['two decisions', { tenant_id: randomUUID(), accept: randomUUID() }],
    ['a malformed decision', { tenant_id: 'x' }],
    ['a malformed sign-in', { tenant_id: randomUUID(), sign_in: 'x' }],
  ])('a form with %s gets a page', async (_, form) => {
    const { browser } = await world.signedIn(await world.tenant())
    const response = await browser.post('/session/choose-tenant', form)
    expect([response.status, readTitle(response)]).toEqual([400, 'The request cannot be read'])
  })
})

describe('a person who is invited', () => {
  async function arrived(invitations: number) {
    const email = newEmail()
    const invited = []
    for (let count = 0; count < invitations; count += 1) {
      const tenant = await world.tenant()
      invited.push({ tenant, ...(await world.invite(tenant, email)) })
    }
    world.provider.signInAs({ subject: randomUUID(), claims: verifiedClaims(email) })
    const browser = world.browser()
    const { headers } = await browser.signIn('acme')
    return { browser, email, invited, location: headers['location'] ?? '' }
  }
  const readStatus = async (tenant: TestTenant, id: string) => (await tenant.by().readInvitation(id)).body.status

  test('is pulled into no tenant by a first sign-in: sees the invitations, and accepts one of them', async () => {
    const { browser, invited, location } = await arrived(2)
    const [first, second] = invited
    if (first === undefined || second === undefined) throw new Error('there are two')
    const page = await browser.get(location)
    expect(readTitle(page)).toBe('You are invited')
    expect(readValues(page.text, 'accept')).toEqual([second.id, first.id])
    expect(page.text).toContain('Your roles: <bdi>viewer</bdi>.')
    expect(await world.rows('SELECT 1 FROM memberships WHERE tenant_id = $1::uuid', first.tenant.id)).toEqual([])
    const accepted = await browser.choose(location, { accept: first.id })
    expect([accepted.status, accepted.headers['location']]).toEqual([303, '/console'])
    expect(await readTenant(browser)).toBe(first.tenant.id)
    expect([await readStatus(first.tenant, first.id), await readStatus(second.tenant, second.id)]).toEqual([
      'accepted',
      'open',
    ])
  })

  test('declines one: it is over, its tenant sees it and may invite again', async () => {
    const { browser, email, invited, location } = await arrived(1)
    const [one] = invited
    if (one === undefined) throw new Error('there is one')
    const declined = await browser.choose(location, { decline: one.id })
    expect([declined.status, declined.headers['location']]).toEqual([303, location])
    expect(await readStatus(one.tenant, one.id)).toBe('declined')
    const lists = ['declined', 'canceled'].map((status) => one.tenant.by().listInvitations(`?status=${status}`))
    expect((await Promise.all(lists)).map(({ body }) => body.data.length)).toEqual([1, 0])
    expect((await one.tenant.events()).at(-1)).toMatchObject({
      type: 'identity.user-invitations.decline',
      payload: { user_invitation: { id: one.id, status: 'declined', user_id: null } },
    })
    expect((await browser.get(location)).text).toContain('no open invitation')
    expect((await browser.choose(location, { accept: one.id })).status).toBe(410)
    const byLink = await world.browser().post('/session/accept', { token: one.token })
    expect([byLink.status, readTitle(byLink)]).toEqual([410, 'This invitation was declined'])
    await one.tenant.by().invite({ email, role_ids: [] }).expect(201)
    expect(readValues((await browser.get(location)).text, 'accept')).toHaveLength(1)
  })

  test('declines in a second tab after the sign-in was completed in the first, or learns that it was accepted', async () => {
    const { browser, invited, location } = await arrived(2)
    const [first, second] = invited
    if (first === undefined || second === undefined) throw new Error('there are two')
    await browser.choose(location, { accept: first.id })
    const late = await browser.choose(location, { decline: first.id })
    expect([late.status, readTitle(late)]).toEqual([410, 'This invitation is not open any more'])
    expect(await readStatus(first.tenant, first.id)).toBe('accepted')
    const declined = await browser.choose(location, { decline: second.id })
    expect([declined.status, declined.headers['location']]).toEqual([303, '/session/choose-tenant'])
    expect(await readStatus(second.tenant, second.id)).toBe('declined')
    const twice = await browser.choose(location, { accept: first.id })
    expect([twice.status, twice.headers['location']]).toEqual([303, '/console'])
  })

  test('neither accepts nor declines the invitation of another address', async () => {
    const { browser, location } = await arrived(1)
    const tenant = await world.tenant()
    const other = await world.invite(tenant)
    expect(readTitle(await browser.choose(location, { accept: other.id }))).toBe(
      'The invitation is for another email address',
    )
    expect((await browser.choose(location, { decline: other.id })).status).toBe(404)
    expect(await readStatus(tenant, other.id)).toBe('open')
    expect(await readTenant(browser)).toBeNull()
  })

  test('creates one user with ten decisions at once', async () => {
    const { browser, invited, location } = await arrived(1)
    const [one] = invited
    if (one === undefined) throw new Error('there is one')
    await Promise.all(Array.from({ length: 10 }, () => browser.choose(location, { accept: one.id })))
    expect(await world.rows('SELECT 1 FROM memberships WHERE tenant_id = $1::uuid', one.tenant.id)).toHaveLength(1)
    expect(await readStatus(one.tenant, one.id)).toBe('accepted')
  })

  test('in a session sees it in readSelf, declines it there, and accepts it with a new proof of the address', async () => {
    const [tenant, next, unwanted] = [await world.tenant(), await world.tenant(), await world.tenant()]
    const { browser, email, userId, session } = await world.signedIn(tenant)
    const [wanted, other] = [await world.invite(next, email), await world.invite(unwanted, email)]
    const caller = { userId, sessionId: session.session_id }
    const self = await world.createCallers(world.app).asSession(tenant.id, caller, []).get('/v1/identity/self')
    expect(self.body.invitations.map(({ id }: { id: string }) => id)).toEqual([other.id, wanted.id])
    expect(self.body.invitations[1]).toMatchObject({ tenant_id: next.id, tenant_name: 'Acme' })
    const page = await browser.get('/session/choose-tenant')
    expect(page.text).toContain('open in this browser')
    expect(readValues(page.text, 'accept')).toEqual([other.id, wanted.id])
    expect((await browser.choose('/session/choose-tenant', { decline: other.id })).status).toBe(303)
    expect(await readStatus(unwanted, other.id)).toBe('declined')
    const { headers } = await browser.choose('/session/choose-tenant', { accept: wanted.id })
    const location = headers['location'] ?? ''
    expect(readTitle(await browser.get(location))).toBe('Accept your invitation')
    expect(await readStatus(next, wanted.id)).toBe('open')
    await browser.callback(await browser.begin(`${location}&provider=acme`))
    expect([await readTenant(browser), await readStatus(next, wanted.id)]).toEqual([next.id, 'accepted'])
    const stranger = await world.invite(unwanted)
    for (const decision of ['accept', 'decline']) {
      expect((await browser.choose('/session/choose-tenant', { [decision]: stranger.id })).status).toBe(404)
    }
  })
})

test('the page names the inviter, whose name is only text', async () => {
  const tenant = await world.tenant()
  const inviter = await tenant.member([tenant.adminRole], { name: '<b>Ada\n"King"', email: newEmail() })
  const session = await inviter.signIn()
  const email = newEmail()
  await session
    .by()
    .invite({ email, role_ids: [tenant.viewerRole] })
    .expect(201)
  world.provider.signInAs({ subject: randomUUID(), claims: verifiedClaims(email) })
  const browser = world.browser()
  const { text } = await browser.get((await browser.signIn('acme')).headers['location'] ?? '')
  expect(text).toContain(`<bdi>&lt;b&gt;Ada\n&quot;King&quot;</bdi> (<bdi>${inviter.email}</bdi>) invites you to`)
  expect(text).toContain('to manage its payments in Payment Service.')
})
