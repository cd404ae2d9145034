/**
 * **What it does.** Signs people in on a developer's machine and in tests: an OpenID provider on loopback with one
 * client, whose page shows a button for each person, and a field for the email address of any other person.
 *
 * **Guarantees.** Each sign-in shows the page, so a developer can change the person. ID tokens are signed with ES256
 * and have `auth_time` and `sid`. The client gets a logout token when another person signs in, or the person signs out.
 *
 * **Not guaranteed.** Proof of identity: any visitor of the port can sign in as any person. A restart loses all state.
 */
import { createPrivateKey, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import Provider, { type Context, interactionPolicy } from 'oidc-provider'
import { createMemoryAdapter } from 'oidc-provider/lib/adapters/memory_adapter.js'
import { formatError } from '../machine/user-error.ts'
import { findPerson, type Person } from './people.ts'
import { personPage } from './person-page.ts'
import { developmentClientId, developmentProviderId } from './provider-files.ts'

export interface SignInProviderOptions {
  /** Of loopback. */
  readonly port: number
  /** The URL at which browsers and identity reach the provider. */
  readonly issuer: string
  /** Origin of the sign-in pages of the platform. */
  readonly consoleOrigin: string
  readonly clientSecret: string
  /** PEM of a P-256 key. */
  readonly key: string
  readonly people: readonly Person[]
}

type LogoutRequest = Required<Pick<RequestInit, 'method' | 'headers' | 'body' | 'signal'>>

export interface SignInProvider {
  close(): Promise<void>
}

const personPath = /^\/person\/[\w-]+$/
const formBytesMax = 1024

/** Listens before it returns. Rejects when the port is in use. */
export async function startSignInProvider(options: SignInProviderOptions): Promise<SignInProvider> {
  const provider = new Provider(options.issuer, buildConfiguration(options))
  const respond = provider.callback()
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', options.issuer)
    if (pathname === '/readyz') response.writeHead(200).end()
    else if (personPath.test(pathname)) void choosePerson(provider, options, request, response)
    else respond(request, response)
  })
  await listen(server, options.port)
  return {
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

/** Shows the page, and completes the sign-in with the button that was pressed. */
async function choosePerson(
  provider: Provider,
  { people, consoleOrigin }: SignInProviderOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const { params } = await provider.interactionDetails(request, response)
    if (request.method !== 'POST') {
      const hint = params['login_hint']
      const page = personPage({ people, consoleOrigin, loginHint: typeof hint === 'string' ? hint : undefined })
      response.setHeader('Content-Security-Policy', page.policy)
      response.setHeader('Cache-Control', 'no-store')
      response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(page.html)
      return
    }
    const chosen = new URLSearchParams(await readBody(request)).get('person')
    const person = findPerson(people, chosen ?? '')
    const result =
      person === undefined
        ? { error: 'access_denied', error_description: 'The person canceled the sign-in.' }
        : { login: { accountId: person.id } }
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false })
  } catch (error) {
    // Of an unknown or expired sign-in, mostly: the developer begins again.
    response
      .writeHead(400, { 'Content-Type': 'text/plain; charset=utf-8' })
      .end(`The sign-in cannot continue. ${formatError(error)}\n`)
  }
}

function buildConfiguration({ consoleOrigin, clientSecret, key, people }: SignInProviderOptions): object {
  const policy = interactionPolicy.base()
  policy
    .get('login')
    .checks.add(
      new interactionPolicy.Check('choose_person', 'The developer chooses a person.', ({ oidc }) =>
        oidc.result?.login === undefined
          ? interactionPolicy.Check.REQUEST_PROMPT
          : interactionPolicy.Check.NO_NEED_TO_PROMPT,
      ),
    )
  return {
    adapter: createMemoryAdapter(0),
    clients: [
      {
        client_id: developmentClientId,
        client_secret: clientSecret,
        token_endpoint_auth_method: 'client_secret_post',
        redirect_uris: [`${consoleOrigin}/session/callback/${developmentProviderId}`],
        id_token_signed_response_alg: 'ES256',
        backchannel_logout_uri: `${consoleOrigin}/session/back-channel-logout`,
        backchannel_logout_session_required: true,
      },
    ],
    jwks: { keys: [{ ...createPrivateKey(key).export({ format: 'jwk' }), use: 'sig', alg: 'ES256' }] },
    cookies: {
      keys: [randomBytes(32).toString('base64url')],
      // Browsers send the cookies of one port of a host to its other ports.
      names: { session: 'dev_sign_in', interaction: 'dev_sign_in_person', resume: 'dev_sign_in_resume' },
    },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    scopes: ['openid', 'email', 'profile'],
    // The client reads the claims of the ID token only.
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
    interactions: { policy, url: (_context: object, { uid }: { uid: string }) => `/person/${uid}` },
    findAccount: (_context: object, id: string) => findPersonAccount(people, id),
    loadExistingGrant: grantEverything,
    renderError: showError,
    // The default rejects loopback, where the platform listens.
    fetch: (url: string, { method, headers, body, signal }: LogoutRequest) =>
      fetch(url, { method, headers, body, signal }),
    ttl: { AccessToken: 60, AuthorizationCode: 60, IdToken: 300, Interaction: 600, Session: 43_200, Grant: 43_200 },
  }
}

function findPersonAccount(people: readonly Person[], id: string) {
  const person = findPerson(people, id)
  if (person === undefined) return undefined
  const { name, email, emailVerified } = person
  return { accountId: id, claims: () => ({ sub: id, name, email, email_verified: emailVerified }) }
}

/** Of a request that cannot be led back to the client. */
function showError(context: { type: string; body: string }, { error, error_description: detail }: ProviderError): void {
  context.type = 'text/plain'
  context.body = `${error}: ${detail ?? 'no detail'}\n`
}

interface ProviderError {
  readonly error: string
  readonly error_description?: string
}

/** No page of consent: the one client is ours. */
async function grantEverything({ oidc }: Context) {
  const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.account.accountId })
  grant.addOIDCScope('openid email profile')
  await grant.save()
  return grant
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of request) {
    body += String(chunk)
    if (body.length > formBytesMax) throw new Error('The form is too large.')
  }
  return body
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host: '127.0.0.1' }, resolve)
  })
}
