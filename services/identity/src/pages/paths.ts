import { consolePath } from '../domain/sign-in.ts'

const signInPath = '/session/sign-in'

/** The page that lists the providers, or the beginning of the sign-in at one. */
export function signInPathOf(returnTo: string | null, providerId?: string): string {
  const query = new URLSearchParams({
    ...(providerId === undefined ? {} : { provider: providerId }),
    ...(returnTo === null || returnTo === consolePath ? {} : { return_to: returnTo }),
  }).toString()
  return query === '' ? signInPath : `${signInPath}?${query}`
}

export const acceptPath = '/session/accept'
export const signedOutPath = '/session/signed-out'
