import type { Config } from '../config.ts'
import type { Database } from '../store/database.ts'
import { createHttp } from './http.ts'
import { createOutbox } from './outbox.ts'
import type { Provider, Providers } from './provider.ts'
import { createSmtp } from './smtp.ts'

/** The providers that the configuration names. It has what they need: config.ts requires it. */
export function chooseProviders(config: Config, db: Database): Providers {
  const { COMMUNICATION_FROM_ADDRESS: fromAddress, COMMUNICATION_SMTP_URL: smtpUrl } = config
  const { COMMUNICATION_HTTP_URL: httpUrl, COMMUNICATION_HTTP_SECRET: key } = config
  const create: Record<Provider['name'], () => Provider> = {
    outbox: () => createOutbox(db),
    smtp: () => {
      if (smtpUrl === undefined || fromAddress === undefined) throw new Error('SMTP is not configured')
      const isImplicit = smtpUrl.protocol === 'smtps:'
      const { COMMUNICATION_SMTP_USERNAME: user, COMMUNICATION_SMTP_PASSWORD: pass } = config
      const tls = isImplicit ? 'implicit' : config.ENVIRONMENT === 'dev' ? 'optional' : 'required'
      const port = Number(smtpUrl.port) || (isImplicit ? 465 : 587)
      const credentials = user === undefined || pass === undefined ? null : { user, pass }
      return createSmtp({ host: smtpUrl.hostname, port, tls, credentials, fromAddress })
    },
    http: () => {
      if (httpUrl === undefined || key === undefined) throw new Error('The HTTP provider is not configured')
      return createHttp({ url: httpUrl, key, fromAddress: fromAddress ?? null })
    },
  }
  return {
    EMAIL: create[config.COMMUNICATION_EMAIL_PROVIDER](),
    SMS: create[config.COMMUNICATION_SMS_PROVIDER](),
  }
}
