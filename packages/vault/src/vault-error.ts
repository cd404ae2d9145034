/** Something does not open, or cannot be sealed: a bug or an attack, never a refusal of a request. Carries no secret. */
export class VaultError extends Error {
  override readonly name = 'VaultError'
}
