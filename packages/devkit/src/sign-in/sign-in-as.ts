import { developmentProviderId } from './provider-files.ts'

const redirectsMax = 12
const timeoutMs = 10_000

export interface Cookie {
  readonly name: string
  readonly value: string
}

/** The sign-in ended at another page than the console: the person has no tenant, for example. */
export class SignInRejected extends Error {
  override name = 'SignInRejected'
}

/**
 * Signs a person of the development provider in, as a browser does: follows redirects, stores cookies, sends the form
 * of the provider, and chooses the first tenant, or accepts the first invitation. Returns the cookies at the console.
 * Throws SignInRejected.
 */
export async function signInAs(gatewayUrl: string, personId: string): Promise<readonly Cookie[]> {
  const cookies = new Map<string, string>()
  let url = new URL(`/session/sign-in?provider=${developmentProviderId}`, gatewayUrl)
  let form: URLSearchParams | undefined
  for (let redirects = 0; redirects < redirectsMax; redirects++) {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { Cookie: [...cookies].map((pair) => pair.join('=')).join('; '), Origin: url.origin },
      signal: AbortSignal.timeout(timeoutMs),
      ...(form === undefined ? {} : { method: 'POST', body: form }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const location = response.headers.get('location')
    if (location === null) {
      if (response.status !== 200 || form !== undefined) break
      form =
        url.pathname === choicePath ? firstChoice(await response.text()) : new URLSearchParams({ person: personId })
      if (form === undefined) break
    } else {
      form = undefined
      url = new URL(location, url)
      if (isConsole(url, gatewayUrl)) return [...cookies].map(([name, value]) => ({ name, value }))
    }
  }
  throw new SignInRejected(`the sign-in of ${personId} ended at ${url.pathname}`)
}

const choicePath = '/session/choose-tenant'

/** The first tenant of the page, else the first invitation. Undefined where the page has neither. */
function firstChoice(page: string): URLSearchParams | undefined {
  const readField = (name: string) => new RegExp(`name="${name}" value="([^"]+)"`).exec(page)?.[1]
  const chosen = ['tenant_id', 'accept'].find((name) => readField(name) !== undefined)
  if (chosen === undefined) return undefined
  return new URLSearchParams({ sign_in: readField('sign_in') ?? '', [chosen]: readField(chosen) ?? '' })
}

const isConsole = (url: URL, gatewayUrl: string) =>
  url.origin === new URL(gatewayUrl).origin && url.pathname === '/console'
