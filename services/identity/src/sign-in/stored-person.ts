import type { Deps } from '../deps.ts'
import { personBinding } from '../domain/sign-in.ts'
import { provenPerson, type SignedInPerson } from './providers.ts'

type Vault = Pick<Deps, 'vault'>

/** Never inside a transaction. */
export function encryptPerson({ vault }: Vault, signInId: string, person: SignedInPerson) {
  return vault.encrypt(personBinding(signInId), JSON.stringify(person))
}

/** Never inside a transaction. Where claims decide, no person chooses a tenant. */
export async function decryptPerson(
  { vault }: Vault,
  signInId: string,
  encrypted: Uint8Array,
): Promise<SignedInPerson> {
  const person: unknown = JSON.parse(await vault.decrypt(personBinding(signInId), encrypted))
  return { ...provenPerson.parse(person), claimed: null }
}
