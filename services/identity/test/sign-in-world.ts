import { randomUUID } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '@payments/chassis/observability/log'
import { type FaultySignInProvider, faultySignInProvider } from '@payments/testing/peers/sign-in-provider'
import type { SignInProviderConfig } from '../src/config.ts'
import { openSignInProviders } from '../src/sign-in/openid-providers.ts'
import { newBrowser, verifiedClaims } from './browsers.ts'
import { consoleOrigin, newEmail, startWorld, type TestTenant } from './world.ts'

type ProviderChanges = Partial<SignInProviderConfig>

/** Providers of identity that all lead to `provider`, each with the given rules. `origin`: of the console. */
export async function openProviders(
  provider: Pick<FaultySignInProvider, 'issuer' | 'clientId' | 'clientSecret'>,
  rules: Readonly<Record<string, ProviderChanges>>,
  { allowPrivate = true, origin = consoleOrigin } = {},
) {
  const directory = await mkdtemp(join(tmpdir(), 'sign-in-'))
  const secretFile = join(directory, 'secret')
  writeFileSync(secretFile, `${provider.clientSecret}\n`)
  const SIGN_IN_PROVIDERS = Object.entries(rules).map(
    ([id, changes]): SignInProviderConfig => ({
      id,
      name: `Provider ${id}`,
      issuer: provider.issuer,
      client_id: provider.clientId,
      client_secret_file: secretFile,
      scopes: ['openid', 'email', 'profile'],
      tenants: '*',
      email_verified_claim: 'email_verified',
      membership: 'invited',
      ...changes,
    }),
  )
  const config = { SIGN_IN_PROVIDERS, SIGN_IN_ALLOW_PRIVATE_PROVIDERS: allowPrivate, CONSOLE_ORIGIN: origin }
  const providers = openSignInProviders(config, createLog('identity', 'silent'))
  rmSync(directory, { recursive: true })
  return providers
}

/** A real identity whose sign-in provider is on loopback, and breaks promises on request. */
export async function startSignInWorld(rules: Readonly<Record<string, ProviderChanges>> = {}) {
  const provider = await faultySignInProvider()
  const providers = await openProviders(provider, { acme: {}, ...rules })
  const world = await startWorld({ providers })
  const count = async (table: 'users' | 'sessions' | 'memberships' | 'sign_ins') =>
    Number((await world.rows<{ count: bigint }>(`SELECT count(*) FROM ${table}`))[0]?.count)

  /** An open invitation with its token. */
  async function invite(tenant: TestTenant, email = newEmail()) {
    const { url, user_invitation: invitation } = (
      await world.asOperator.inviteFirst(tenant.id, { email, role_name: 'viewer' }).expect(201)
    ).body
    return { id: String(invitation.id), email, token: new URL(url).hash.slice(1) }
  }

  return {
    ...world,
    provider,
    browser: (options?: { address?: string }) => newBrowser(world, options),
    invite,
    /** A user of the tenant who has signed in once, and their browser. */
    signedIn: async (tenant: TestTenant, { email = newEmail(), claims = {} } = {}) => {
      const { token } = await invite(tenant, email)
      const subject = randomUUID()
      const person = { subject, claims: verifiedClaims(email, claims) }
      const browser = newBrowser(world)
      provider.signInAs(person)
      const response = await browser.signInByLink(token)
      const value = browser.cookie('__Host-session') ?? ''
      const session = await world.identify(value)
      if (session === null) throw new Error(`not signed in: ${response.status} ${response.text}`)
      return { browser, email, person, session, value, userId: String(session.user_id) }
    },
    /** The rows of what a sign-in can create. */
    counts: async () => ({
      users: await count('users'),
      sessions: await count('sessions'),
      memberships: await count('memberships'),
    }),
    count,
    stop: async () => {
      await world.stop()
      providers.close()
      await provider.close()
    },
  }
}

export type SignInWorld = Awaited<ReturnType<typeof startSignInWorld>>
