import type { Environment } from '../machine/profile.ts'
import { developmentClientId, developmentProviderId, signInProviderFiles } from '../sign-in/provider-files.ts'

/** The OpenID provider of a developer's machine. Other environments use the provider of the company. */
export const signInProviderName = developmentProviderId

/** The variables of the provider, which listens at `issuer`. */
export function signInProviderEnvironment(directory: string, issuer: string, consoleOrigin: string): Environment {
  const { keyFile, clientSecretFile } = signInProviderFiles(directory)
  return {
    PORT: new URL(issuer).port,
    ISSUER: issuer,
    CONSOLE_ORIGIN: consoleOrigin,
    CLIENT_SECRET_FILE: clientSecretFile,
    KEY_FILE: keyFile,
  }
}

/** The variables of identity that make it accept the provider. */
export function signInVariables(directory: string, issuer: string): Environment {
  const provider = {
    id: developmentProviderId,
    name: 'Development sign-in',
    issuer,
    client_id: developmentClientId,
    client_secret_file: signInProviderFiles(directory).clientSecretFile,
    tenants: '*',
  }
  return { SIGN_IN_PROVIDERS: JSON.stringify([provider]), SIGN_IN_ALLOW_PRIVATE_PROVIDERS: 'true' }
}
