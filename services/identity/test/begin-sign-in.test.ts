import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { titleOf } from './browsers.ts'
import { type SignInWorld, startSignInWorld } from './sign-in-world.ts'

let world: SignInWorld
beforeAll(async () => {
  world = await startSignInWorld({ claims: { membership: 'claims', tenant_claim: 't', roles_claim: 'r' } })
})
afterAll(() => world.stop())

const linksOf = ({ text }: { text: string }) =>
  [...text.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'))

test('without a provider, shows a link to each, which keeps the page to return to', async () => {
  const page = await world.browser().get('/session/sign-in?return_to=/console/keys')
  expect([page.status, titleOf(page)]).toEqual([200, 'Sign in'])
  expect(page.text).toContain('Provider acme')
  expect(linksOf(page)).toEqual([
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
  const response = await world.callersOf(world.app).asAnonymous().get('/session/sign-in?provider=acme')
  expect([response.status, await world.count('sign_ins')]).toEqual([500, before])
})

test('an unknown provider gets a page', async () => {
  const response = await world.browser().get('/session/sign-in?provider=other')
  expect([response.status, titleOf(response)]).toEqual([404, 'There is no such sign-in provider'])
})

test('an address has at most 100 open sign-ins, also with 120 at once, and a block of IPv6 counts as one', async () => {
  const statuses = await Promise.all(
    Array.from({ length: 120 }, async (_, index) => {
      const browser = world.browser({ address: `2001:db8:0:7::${(index + 1).toString(16)}` })
      return (await browser.get('/session/sign-in?provider=acme')).status
    }),
  )
  expect(statuses.filter((status) => status === 303)).toHaveLength(100)
  expect(statuses.filter((status) => status === 429)).toHaveLength(20)
  const [row] = await world.rows<{ count: bigint }>(`SELECT count(*) FROM sign_ins WHERE address = '2001:db8:0:7::/64'`)
  expect(Number(row?.count)).toBe(100)
  const page = await world.browser({ address: '2001:db8:0:7::ffff' }).get('/session/sign-in?provider=acme')
  expect([titleOf(page), page.headers['retry-after']]).toEqual(['Too many sign-ins in progress', '600'])
  expect((await world.browser({ address: '2001:db8:0:8::1' }).get('/session/sign-in?provider=acme')).status).toBe(303)
  await world.rows(`UPDATE sign_ins SET expires_at = now() - interval '1 second' WHERE address LIKE '2001:db8:0:7:%'`)
  expect((await world.browser({ address: '2001:db8:0:7::1' }).get('/session/sign-in?provider=acme')).status).toBe(303)
})

test('after the link of an invitation, shows whom it is from, and only the providers that accept it', async () => {
  const tenant = await world.tenant()
  const { token, email } = await world.invite(tenant)
  const browser = world.browser()
  const accepted = await browser.post('/session/accept', { token })
  expect([accepted.status, accepted.headers['location']]).toEqual([303, '/session/sign-in'])
  const page = await browser.get('/session/sign-in')
  expect(titleOf(page)).toBe('Accept your invitation')
  expect(page.text).toContain('<bdi>Acme</bdi> invites you')
  expect(page.text).toContain(email.replaceAll("'", '&#39;'))
  expect(linksOf(page)).toEqual(['/session/sign-in?provider=acme'])
  expect(titleOf(await world.browser().get('/session/sign-in'))).toBe('Sign in')
})
