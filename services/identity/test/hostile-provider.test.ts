/** @slow It measures slow functions with every hostile text. */
import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { hostileTexts } from '@payments/testing/generators/hostile-text'
import type { ReplacedDocuments } from '@payments/testing/peers/sign-in-provider'
import { slowWorks } from '@payments/testing/runner/held-time'
import type { Deps } from '../src/deps.ts'
import { newBrowser, readTitle, type TestBrowser, verifiedClaims } from './browsers.ts'
import { openProviders, type SignInWorld, startSignInWorld } from './sign-in-world.ts'
import { newEmail, type TestTenant } from './world.ts'

/** Documents and tokens that no provider in order sends: a sign-in works, or its page says why it does not. */

const rules = { membership: 'claims', tenant_claim: 'tenant', roles_claim: 'groups' } as const
let world: SignInWorld
let tenant: TestTenant
let app: SignInWorld['app']
/** Those of `app`, and the last ones that were opened. */
let opened: Awaited<ReturnType<typeof openProviders>>
beforeAll(async () => {
  world = await startSignInWorld({ company: rules })
  tenant = await world.tenant()
  const providers: Deps['providers'] = {
    get list() {
      return opened.list
    },
    find: (id) => opened.find(id),
    byIssuer: (issuer) => opened.byIssuer(issuer),
  }
  app = world.createAppWith({ providers })
})
afterAll(() => world.stop())
afterEach(() => world.provider.replace({}))

/** Works with a browser of a process that has read no document of the provider. */
async function withFreshBrowser<R>(work: (browser: TestBrowser) => Promise<R>): Promise<R> {
  opened = await openProviders(world.provider, { company: rules })
  try {
    return await work(newBrowser({ ...world, app }))
  } finally {
    opened.close()
  }
}

const personWith = (claims: Readonly<Record<string, unknown>>, subject: string = randomUUID()) => ({
  subject,
  claims: verifiedClaims(newEmail(), { tenant: tenant.id, groups: ['viewer'], ...claims }),
})

/** The status and the title of the page on which a sign-in ends. A page in place of a redirect ends it at once. */
async function readOutcome(browser: TestBrowser): Promise<[number, string]> {
  const started = await browser.get('/session/sign-in?provider=company')
  const ended = started.status === 303 ? await browser.signIn('company') : started
  return [ended.status, readTitle(ended)]
}

const unavailable: [number, string] = [503, 'The sign-in provider is not available']
const notConfirmed: [number, string] = [400, 'The sign-in provider did not confirm who you are']
const signedIn: [number, string] = [303, '']

const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
const wrongValues = [5, true, 'x', [], {}, [5], { a: 'b' }, '\u0000', 'javascript:alert(1)', 'ftp://provider.example/x']
const documentMax = 250_000

/** Texts of a document, in which each of the members has the text, and documents of another form. */
function hostileDocuments(members: readonly string[]): [string, (honest: object) => string][] {
  const texts = hostileTexts(documentMax / 10 / members.length).map(
    ([what, text]): [string, (honest: object) => string] => [
      what,
      (honest) =>
        JSON.stringify({ ...honest, ...Object.fromEntries(members.map((name) => [name, text])), [text]: text }),
    ],
  )
  const many = (item: string, list = `[${`${item},`.repeat(documentMax / (item.length + 1) - 1)}${item}]`) => list
  const forms = ['null', '5', '"x"', '[]', '{}', '{', '', deep(120_000), many('{}'), many('null'), many('0')]
  const named = Array.from({ length: 18_000 }, (_, number) => `"m${number}":{}`).join()
  return [
    ...texts,
    ...forms.map((form): [string, () => string] => [form.slice(0, 20), () => form]),
    ['many members', () => `{${named}}`],
    ['deep members', () => `{"a":${deep(100_000)}}`],
  ]
}

const endpoints = ['authorization_endpoint', 'token_endpoint', 'jwks_uri']
const metadata = [
  'issuer',
  ...endpoints,
  'token_endpoint_auth_methods_supported',
  'id_token_signing_alg_values_supported',
]
const keyMembers = ['kty', 'kid', 'use', 'alg', 'key_ops', 'crv', 'x', 'y', 'n', 'e', 'x5c']

/** Every sign-in ends with a page or signs the person in, and holds the event loop for at most 20 ms. */
async function expectPages(documents: [string, ReplacedDocuments][]): Promise<void> {
  world.provider.signInAs(personWith({}))
  const works = documents.map(([what, replaced]): [string, () => Promise<unknown>] => [
    what,
    () =>
      withFreshBrowser(async (browser) => {
        world.provider.replace(replaced)
        const outcome = await readOutcome(browser)
        expect([signedIn, unavailable, notConfirmed]).toContainEqual(outcome)
        const logout = { logout_token: world.provider.logoutToken({ sub: 'nobody' }) }
        const { status } = await browser.post('/session/back-channel-logout', logout)
        expect([200, 400, 503]).toContain(status)
      }),
  ])
  expect(await slowWorks(works)).toEqual([])
}

/** The documents that replace each of a provider. A new kind of document compiles when it is listed. */
const documentCases = {
  discovery: () => hostileDocuments(metadata).map(([what, discovery]) => [what, { discovery }]),
  keys: () => {
    const inKey = hostileTexts(documentMax / 10 / keyMembers.length).map(
      ([what, text]): [string, ReplacedDocuments] => [
        `${what} in a key`,
        { keys: () => JSON.stringify({ keys: [Object.fromEntries(keyMembers.map((name) => [name, text]))] }) },
      ],
    )
    const forms = hostileDocuments(['keys']).flatMap(([what, keys]): [string, ReplacedDocuments][] => [
      [what, { keys }],
      [`keys: ${what}`, { keys: () => `{"keys":${keys({})}}` }],
    ])
    return [...inKey, ...forms]
  },
  tokens: () =>
    hostileDocuments(['id_token', 'access_token', 'token_type', 'error']).map(([what, tokens]) => [what, { tokens }]),
} satisfies Record<keyof ReplacedDocuments, () => [string, ReplacedDocuments][]>

test.each(Object.entries(documentCases))(
  'a sign-in ends with a page, and holds the event loop for no longer than 20 ms, with any document of %s',
  (_, documents) => expectPages(documents()),
)

test.each(endpoints.flatMap((name) => wrongValues.map((value) => [name, value] as const)))(
  'a provider whose %s is %j is unavailable',
  async (name, value) => {
    world.provider.replace({ discovery: (honest) => JSON.stringify({ ...honest, [name]: value }) })
    world.provider.signInAs(personWith({}))
    expect(await withFreshBrowser(readOutcome)).toEqual(unavailable)
  },
)

test.each(['token_endpoint_auth_methods_supported', 'id_token_signing_alg_values_supported'])(
  'a %s of another type counts as missing',
  async (name) => {
    world.provider.replace({ discovery: (honest) => JSON.stringify({ ...honest, [name]: 5 }) })
    world.provider.signInAs(personWith({}))
    // Without a list, the algorithm of ID tokens is RS256 (OpenID Connect Discovery 1.0).
    const expected = name.startsWith('id_token') ? notConfirmed : signedIn
    expect(await withFreshBrowser(readOutcome)).toEqual(expected)
  },
)

test('a key of another form beside the right one is left out', async () => {
  const keys = [5, null, [], { kty: 'EC', kid: {}, key_ops: 7 }, { kty: 'EC', crv: 'P-256', kid: 'key-1', x: 5 }]
  world.provider.replace({
    keys: (honest) => JSON.stringify({ keys: [...keys.slice(0, 4), ...(honest['keys'] as object[])] }),
  })
  world.provider.signInAs(personWith({}))
  expect(await withFreshBrowser(readOutcome)).toEqual(signedIn)
})

test('a key that cannot be imported confirms no person and ends no session', async () => {
  const broken = { kty: 'EC', crv: 'P-256', kid: 'key-1', alg: 'ES256', x: 'AA', y: 'AA' }
  world.provider.replace({ keys: () => JSON.stringify({ keys: [broken] }) })
  world.provider.signInAs(personWith({}))
  await withFreshBrowser(async (browser) => {
    expect(await readOutcome(browser)).toEqual(notConfirmed)
    const logout = { logout_token: world.provider.logoutToken({ sub: 'nobody' }) }
    expect((await browser.post('/session/back-channel-logout', logout)).status).toBe(503)
  })
})

test.each(['', 'x', 'a.b.c', '..', 'e30.e30.!!!', '.....', '\u{1f600}.\u{1f600}.\u{1f600}', 'e30.W10.e30'])(
  'an ID token that is no JWT confirms no person: %j',
  async (token) => {
    world.provider.replace({ tokens: (honest) => JSON.stringify({ ...honest, id_token: token }) })
    expect(await readOutcome(world.browser())).toEqual(notConfirmed)
  },
)

test('an ID token whose signature is not base64url confirms no person', async () => {
  const unreadable = (token: unknown) => String(token).replace(/[^.]*$/, '!!!')
  world.provider.replace({
    tokens: (honest) => JSON.stringify({ ...honest, id_token: unreadable(honest['id_token']) }),
  })
  world.provider.signInAs(personWith({}))
  expect(await readOutcome(world.browser())).toEqual(notConfirmed)
})

const claimNames = ['name', 'given_name', 'email', 'email_verified', 'sid', 'acr', 'amr', 'azp', 'groups', 'tenant']

test('no claim holds the event loop for long, and each sign-in ends with a page', async () => {
  const texts = hostileTexts(4_000).flatMap(([what, text]): [string, object][] => [
    [`${what} in every claim`, Object.fromEntries([...claimNames, text].map((name) => [name, text]))],
    [
      `${what} as names and groups`,
      { name: text, sid: text.slice(0, 200), groups: ['viewer', ...Array(40).fill(text.slice(0, 200))] },
    ],
  ])
  const values: [string, object][] = [
    ['many claims', Object.fromEntries(Array.from({ length: 4_000 }, (_, number) => [`m${number}`, 0]))],
    ['many groups', { groups: Array.from({ length: 1_000 }, () => randomUUID()) }],
    ['deep groups', { groups: JSON.parse(deep(4_000)) }],
    ['deep claims', { a: JSON.parse(deep(4_000)) }],
    ...[5, null, true, [], {}, [[]], 1e300, -1e300, ''].map((value): [string, object] => [
      `${JSON.stringify(value)} as every claim`,
      Object.fromEntries([...claimNames, 'sub', 'iat', 'exp', 'auth_time', 'aud', 'iss'].map((name) => [name, value])),
    ]),
  ]
  const works = [...texts, ...values].map(([what, claims]): [string, () => Promise<unknown>] => [
    what,
    async () => {
      world.provider.signInAs(personWith({ ...claims }))
      const [status, title] = await readOutcome(world.browser())
      expect([what, status < 500 && (status === 303 || title !== '')]).toEqual([what, true])
    },
  ])
  expect(await slowWorks(works)).toEqual([])
})

/** As a person has it elsewhere: every character of RFC 5322, and of RFC 6531. */
const localParts = [
  "!#$%&'*+-/=?^_`{|}~.a",
  '"<a>"',
  'a'.repeat(300),
  '\u{1f600}'.repeat(100),
  'e\u0301\ufb01',
  '\u202ea',
]

test.each(localParts)('an email address with every character is stored or left out: %s', async (local) => {
  world.provider.signInAs(personWith({ email: `${local}@example.com` }))
  const browser = world.browser()
  expect(await readOutcome(browser)).toEqual(signedIn)
  const { user_id: userId } = await world.identify(browser.cookie('__Host-session') ?? '')
  expect([`${local}@example.com`, null]).toContain((await tenant.by().readUser(userId)).body.email)
})

test('a name of 255 emoji is cut between two', async () => {
  world.provider.signInAs(personWith({ name: '\u{1f600}'.repeat(255) }))
  const browser = world.browser()
  expect(await readOutcome(browser)).toEqual(signedIn)
  const { user_id: userId } = await world.identify(browser.cookie('__Host-session') ?? '')
  expect((await tenant.by().readUser(userId)).body.name).toBe('\u{1f600}'.repeat(200))
})

test.each([201, 255, 10_000])('a group with a name of %i characters is no role, beside one that is', async (length) => {
  world.provider.signInAs(personWith({ groups: ['x'.repeat(length), 'viewer'] }))
  expect(await readOutcome(world.browser())).toEqual(signedIn)
  world.provider.signInAs(personWith({ groups: ['x'.repeat(length)] }))
  expect(await readOutcome(world.browser())).toEqual([403, 'Your account has no access'])
})
