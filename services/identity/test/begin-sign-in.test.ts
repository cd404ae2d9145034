import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { readTitle } from './browsers.ts'
import { type SignInWorld, startSignInWorld } from './sign-in-world.ts'

let world: SignInWorld
beforeAll(async () => {
  world = await startSignInWorld({ claims: { membership: 'claims', tenant_claim: 't', roles_claim: 'r' } })
})
afterAll(() => world.stop())

const readLinks = ({ text }: { text: string }) =>
  [...text.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'))

test('without a provider, shows a link to each, which keeps the page to return to', async () => {
  const page = await world.browser().get('/session/sign-in?return_to=/console/keys')
  expect([page.status, readTitle(page)]).toEqual([200, 'Sign in'])
  expect(page.text).toContain('Provider acme')
  expect(readLinks(page)).toEqual([
    '/session/sign-in?provider=acme&return_to=%2Fconsole%2Fkeys',
    '/session/sign-in?provider=claims&return_to=%2Fconsole%2Fkeys',
  ])
  expect(page.headers['set-cookie']).toBeUndefined()
})

test('a page may load nothing, and is not framed, cached or referred to', async () => {
  const { headers, text } = await world.browser().get('/session/sign-in')
  expect(headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
  const policy = String(headers['content-security-policy'])
  expect(policy).toMatch(
    /^default-src 'none'; style-src 'sha256-[\w+/=]+'; script-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
  )
  expect(text).toContain('DEV – development environment')
})

test('with a provider, stores the sign-in without its secrets, and leads to the provider', async () => {
  const browser = world.browser({ address: '192.0.2.40' })
  const response = await browser.get('/session/sign-in?provider=acme&return_to=/console/keys')
  expect(response.status).toBe(303)
  const location = new URL(response.headers['location'] ?? '')
  expect(location.origin).toBe(world.provider.issuer)
  const secret = browser.cookie('__Host-sign-in') ?? ''
  expect(response.headers['set-cookie']).toEqual([
    `__Host-sign-in=${secret}; Path=/; Max-Age=600; Secure; HttpOnly; SameSite=Lax`,
  ])
  const [row] = await world.rows(`SELECT * FROM sign_ins WHERE address = '192.0.2.40'`)
  expect(row).toMatchObject({
    purpose: 'sign_in',
    provider_id: 'acme',
    return_to: '/console/keys',
    invitation_id: null,
    replaced_session_id: null,
  })
  const stored = JSON.stringify(row, (_, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('base64url') : value,
  )
  for (const one of [secret, location.searchParams.get('state') ?? '']) {
    expect(one).toMatch(/^[\w-]{43}$/)
    expect(stored).not.toContain(one)
  }
})

test('begins no sign-in of a browser that the gateway did not describe', async () => {
  const before = await world.count('sign_ins')
  const response = await world.createCallers(world.app).asAnonymous().get('/session/sign-in?provider=acme')
  expect([response.status, await world.count('sign_ins')]).toEqual([500, before])
})

test('an unknown provider gets a page', async () => {
  const response = await world.browser().get('/session/sign-in?provider=other')
  expect([response.status, readTitle(response)]).toEqual([404, 'There is no such sign-in provider'])
})

test('a browser has at most 20 sign-ins, also with 30 at once: the oldest one is evicted', async () => {
  const browser = world.browser({ address: '192.0.2.77' })
  const first = await browser.begin('/session/sign-in?provider=acme')
  const pages = await Promise.all(Array.from({ length: 30 }, () => browser.get('/session/sign-in?provider=acme')))
  expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([303]))
  const [row] = await world.rows<{ count: bigint }>(`SELECT count(*) FROM sign_ins WHERE address = '192.0.2.77'`)
  expect(Number(row?.count)).toBe(20)
  expect((await browser.callback(first)).status).toBe(410)
})

test('an address never rejects a sign-in: at its bound, a browser with many sign-ins loses one, then the oldest goes', async () => {
  const address = '2001:db8:0:7::/64'
  const greedy = Buffer.alloc(32, 7).toString('hex')
  await world.rows(
    `INSERT INTO sign_ins (id, purpose, browser_hash, address, created_at, expires_at)
     SELECT gen_random_uuid(), 'sign_in', CASE WHEN n > 980 THEN decode($2, 'hex') ELSE sha256(n::text::bytea) END, $1,
            now() - interval '1 second' * (1000 - n), now() + interval '5 minutes'
       FROM generate_series(1, 1000) AS n RETURNING 1`,
    address,
    greedy,
  )
  const ofGreedy = async () =>
    Number(
      (
        await world.rows<{ count: bigint }>(
          `SELECT count(*) FROM sign_ins WHERE browser_hash = decode($1, 'hex')`,
          greedy,
        )
      )[0]?.count,
    )
  for (let turn = 0; turn < 15; turn += 1) {
    const browser = world.browser({ address: `2001:db8:0:7::${turn + 1}` })
    expect((await browser.get('/session/sign-in?provider=acme')).status).toBe(303)
  }
  const [row] = await world.rows<{ count: bigint }>('SELECT count(*) FROM sign_ins WHERE address = $1', address)
  expect([Number(row?.count), await ofGreedy()]).toEqual([1_000, 5])
  expect((await world.browser({ address: '2001:db8:0:7::ff' }).get('/session/sign-in?provider=acme')).status).toBe(303)
  const [oldest] = await world.rows<{ count: bigint }>(
    'SELECT count(*) FROM sign_ins WHERE browser_hash = sha256($1::text::bytea)',
    '1',
  )
  expect([Number(oldest?.count), await ofGreedy()]).toEqual([0, 5])
})

test.each(['/session/sign-in?provider=acme', '/session/sign-in', '/session/step-up', '/session/choose-tenant'])(
  'a hundred images of another page begin nothing and get a page: %s',
  async (path) => {
    const { browser } = await world.signedIn(await world.tenant())
    const before = await world.count('sign_ins')
    const pages = await Promise.all(Array.from({ length: 100 }, () => browser.get(path, { load: 'embedded' })))
    expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([403]))
    expect(readTitle(pages[0] ?? { text: '' })).toBe('Open this page in a tab of its own')
    expect(pages.filter(({ headers }) => headers['set-cookie'] !== undefined)).toEqual([])
    expect(await world.count('sign_ins')).toBe(before)
  },
)

test('a link of another site shows the providers, and begins nothing before the person has chosen one', async () => {
  const before = await world.count('sign_ins')
  const page = await world
    .browser()
    .get('/session/sign-in?provider=acme&return_to=/console/keys', { load: 'foreign_link' })
  expect([page.status, readTitle(page), page.headers['set-cookie']]).toEqual([200, 'Sign in', undefined])
  expect(readLinks(page)[0]).toBe('/session/sign-in?provider=acme&return_to=%2Fconsole%2Fkeys')
  expect(await world.count('sign_ins')).toBe(before)
})

test('a browser with a session is led to where it wants to go, unless the page is of another tenant', async () => {
  const tenant = await world.tenant()
  const { browser } = await world.signedIn(tenant)
  const wanted = '/session/sign-in?return_to=/console/keys'
  const led = await browser.get(`${wanted}&tenant_id=${tenant.id}`)
  expect([led.status, led.headers['location']]).toEqual([303, '/console/keys'])
  expect((await browser.get('/session/sign-in')).headers['location']).toBe('/console')
  const other = crypto.randomUUID()
  const page = await browser.get(`${wanted}&tenant_id=${other}`)
  expect(readTitle(page)).toBe('Sign in')
  expect(readLinks(page)[0]).toContain(`tenant_id=${other}`)
})

test('after the link of an invitation, shows whom it is from, and only the providers that accept it', async () => {
  const tenant = await world.tenant()
  const { token, email } = await world.invite(tenant)
  const browser = world.browser()
  const accepted = await browser.post('/session/accept', { token })
  const location = accepted.headers['location'] ?? ''
  expect([accepted.status, location]).toEqual([
    303,
    expect.stringMatching(/^\/session\/sign-in\?invitation=[\w-]{36}$/),
  ])
  const page = await browser.get(location)
  expect(readTitle(page)).toBe('Accept your invitation')
  expect(page.text).toContain('<bdi>Acme</bdi></strong> invites you')
  expect(page.text).toContain('Your roles: <bdi>viewer</bdi>.')
  expect(page.text).toMatch(/Valid until <time datetime="[^"]*">\d+ \w+ \d{4} at \d\d:\d\d UTC<\/time>/)
  expect(page.text).toContain(email.replaceAll("'", '&#39;'))
  expect(readLinks(page)).toEqual([location.replace('?', '?provider=acme&')])
  for (const stranger of [await world.browser().get(location), await browser.get('/session/sign-in')]) {
    expect(readTitle(stranger)).toBe('Sign in')
  }
})
