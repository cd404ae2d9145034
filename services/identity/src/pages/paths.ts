import { consolePath } from '../domain/sign-in.ts'

const signInPath = '/session/sign-in'

/** The parameters that the page of the providers passes on to the sign-in at one. */
export interface SignInTarget {
  /** A page of the console. */
  readonly returnTo?: string | null
  /** The tenant of the page that requests the sign-in. */
  readonly tenantId?: string | null
  /** Identifier of the opened link of an invitation. */
  readonly invitation?: string | null
}

export interface RetryTarget extends SignInTarget {
  /** Whether a person in a session confirms an operation. */
  readonly isStepUp?: boolean
}

/** The page that lists the providers, or the beginning of the sign-in at one. */
export function pathToSignIn({ returnTo, tenantId, invitation }: SignInTarget, providerId?: string): string {
  return withParameters(signInPath, {
    provider: providerId,
    return_to: returnTo === consolePath ? null : returnTo,
    tenant_id: tenantId,
    invitation,
  })
}

/** The page at which a failed sign-in begins again. */
export function pathToRetry({ isStepUp = false, ...target }: RetryTarget): string {
  if (!isStepUp) return pathToSignIn(target)
  return withParameters('/session/step-up', { return_to: target.returnTo, tenant_id: target.tenantId })
}

export const tenantChoicePath = '/session/choose-tenant'

/** The page of the choice after a sign-in; without one, in the session. */
export const pathToTenantChoice = (signInId?: string): string => withParameters(tenantChoicePath, { sign_in: signInId })

function withParameters(path: string, parameters: Readonly<Record<string, string | null | undefined>>): string {
  const given = Object.entries(parameters).filter((pair): pair is [string, string] => typeof pair[1] === 'string')
  const query = new URLSearchParams(given).toString()
  return query === '' ? path : `${path}?${query}`
}

export const acceptPath = '/session/accept'
export const signedOutPath = '/session/signed-out'
export const switchTenantPath = '/session/switch-tenant'
