import { z } from 'zod'
import type { Deps } from '../deps.ts'
import { personBinding } from '../domain/sign-in.ts'
import type { SignedInPerson } from './providers.ts'

/** A person who has not chosen a tenant yet, as the vault encrypts them. Where claims decide, no person chooses. */
const storedPerson = z.object({
  issuer: z.string(),
  subject: z.string(),
  verifiedEmail: z.string().nullable(),
  name: z.string().nullable(),
  authenticatedAt: z.iso.datetime(),
  providerSessionId: z.string().nullable(),
})

type Vault = Pick<Deps, 'vault'>

/** Never inside a transaction. */
export function encryptPerson({ vault }: Vault, signInId: string, person: SignedInPerson) {
  return vault.encrypt(personBinding(signInId), JSON.stringify(person))
}

/** Never inside a transaction. */
export async function decryptPerson(
  { vault }: Vault,
  signInId: string,
  encrypted: Uint8Array,
): Promise<SignedInPerson> {
  const { authenticatedAt, ...person } = storedPerson.parse(
    JSON.parse(await vault.decrypt(personBinding(signInId), encrypted)),
  )
  return { ...person, authenticatedAt: new Date(authenticatedAt), claimed: null }
}
