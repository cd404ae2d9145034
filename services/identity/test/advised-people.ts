import { randomUUID } from 'node:crypto'
import { verifiedClaims } from './browsers.ts'
import { signInFrom } from './follow-page.ts'
import type { SignInWorld } from './sign-in-world.ts'
import { newEmail, type TestTenant } from './world.ts'

/** The people of the tests that follow the advice of pages. `world`: the started one. */
export function advisedPeople(world: () => SignInWorld) {
  /** A person with an open invitation, and their browser. */
  async function invited() {
    const tenant = await world().tenant()
    const { id, email, token } = await world().invite(tenant)
    const subject = randomUUID()
    /** The person signs in at the provider from then on, with changed claims. */
    const become = (claims: Readonly<Record<string, unknown>> = {}) =>
      world().provider.signInAs({ subject, claims: verifiedClaims(email, claims) })
    become()
    return { tenant, id, email, token, become, browser: world().browser() }
  }

  /** A user in a session. */
  async function inSession() {
    const tenant = await world().tenant()
    const user = await world().signedIn(tenant)
    world().provider.signInAs(user.person)
    return { tenant, ...user }
  }

  async function signedOut() {
    const user = await inSession()
    await user.browser.post('/session/sign-out', {})
    return user
  }

  /** A person whose provider decides about their access, at first with these groups. */
  async function claimed(groups: readonly string[]) {
    const [tenant, subject, browser] = [await world().tenant(), randomUUID(), world().browser()]
    const claims = verifiedClaims(newEmail())
    const claim = (names: readonly string[]) =>
      world().provider.signInAs({ subject, claims: { ...claims, tenant: tenant.id, groups: names } })
    claim(groups)
    return { tenant, browser, claim }
  }

  /** Invites a person, who opens the link. Returns where their sign-in leads. */
  async function acceptNew(email: string, tenant: TestTenant, browser = world().browser()): Promise<string> {
    const { token } = await world().invite(tenant, email)
    return signInFrom(browser, await browser.open(token))
  }

  /** Gives the tenant as many open invitations as it can have. Returns the id of one. */
  async function fill(tenantId: string): Promise<string> {
    const [invitation] = await world().rows<{ id: string }>(
      `INSERT INTO user_invitations (id, tenant_id, email, email_key, token_hash, token_encrypted, expires_at,
         created_by, trace_id, message_id)
       SELECT gen_random_uuid(), $1::uuid, n::text, n::text, decode(md5($1 || n::text), 'hex'), '\\x00',
              now() + interval '1 hour', 'test', gen_random_uuid(), gen_random_uuid()
         FROM generate_series(1, 1000) AS n RETURNING id::text`,
      tenantId,
    )
    return invitation?.id ?? ''
  }

  return { invited, inSession, signedOut, claimed, acceptNew, fill }
}
