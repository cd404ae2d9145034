import { commonProblems, Problem } from '@payments/contracts/grammar/problem'

/**
 * The header of a response to a request whose credential ended after its authentication. A 401 of a service without it
 * rejects the assertion of the caller.
 */
export const endedCredentialHeader = 'credential-ended'

/** The credential that a verified assertion names has ended: invalid_credentials. */
export class EndedCredential extends Problem {
  constructor() {
    super(commonProblems.invalid_credentials)
  }
}
