import { z } from 'zod'

/**
 * **What it does.** Reads the members of a document of a sign-in provider that a sign-in uses.
 *
 * **Guarantees.** Each member has its type and a greatest length, so no library gets another value. A member of another
 * type is left out, as if the provider had not sent it.
 *
 * **Not guaranteed.** That a member is there: openid-client and jose report a missing one.
 */
const textMax = 200
const urlMax = 2_000
const textsMax = 50
/** A provider publishes its keys of some weeks. */
const keysMax = 100
/** The base64url of a modulus of 16 384 bits, which OpenSSL verifies at most. */
const keyTextMax = 2_731
/** Of a JWT with some hundred groups. */
const idTokenMax = 64 * 1024

const readLeniently = <S extends z.ZodType>(schema: S) => schema.optional().catch(undefined)
const text = readLeniently(z.string().max(textMax))
const texts = readLeniently(z.array(z.string().max(textMax)).max(textsMax))
const url = readLeniently(z.url({ protocol: /^https?$/ }).max(urlMax))
const keyText = readLeniently(z.string().max(keyTextMax))

const key = z.object({
  ...{ kty: text, kid: text, use: text, alg: text, key_ops: texts, crv: text },
  ...{ x: keyText, y: keyText, n: keyText, e: keyText, pub: keyText },
})

const published = z.object({
  issuer: readLeniently(z.string().max(urlMax)),
  authorization_endpoint: url,
  token_endpoint: url,
  jwks_uri: url,
  token_endpoint_auth_methods_supported: texts,
  id_token_signing_alg_values_supported: texts,
  authorization_response_iss_parameter_supported: readLeniently(z.boolean()),
  keys: z
    .custom<readonly unknown[]>(Array.isArray)
    .transform((keys) => keys.slice(0, keysMax).flatMap((one) => key.safeParse(one).data ?? []))
    .optional(),
})

const granted = z.object({ id_token: readLeniently(z.string().max(idTokenMax)) })
const explained = z.object({ error: text, error_description: text })

/** A discovery document or a key set. Undefined for no object, and for keys that are no list. */
export const readPublished = (document: unknown): object | undefined => published.safeParse(document).data

/**
 * The response of a token endpoint. The ID token is all that a sign-in reads. Providers write the others in many forms,
 * such as `token_type: BearerToken`, and they are dropped here.
 */
export function readTokens(document: unknown): object {
  return { access_token: 'dropped', token_type: 'Bearer', ...granted.safeParse(document).data }
}

/** The error of a token endpoint (RFC 6749, 5.2). */
export const readError = (document: unknown): object => explained.safeParse(document).data ?? {}
