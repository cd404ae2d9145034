import type { Content } from './communication.ts'
import { oneLine, render } from './render.ts'

/** The built-in template `user_invitation`. Only the platform sends it, so it is in no list of templates. */
export interface UserInvitation {
  readonly tenantName: string
  readonly url: string
  readonly expiresAt: Date
}

const lines = [
  'Hello,',
  'you are invited to become a user of {{tenant_name}}.',
  'The link works once, until {{expires_on}}. To accept, sign in with this email address.',
]
const ending = 'If you do not know why you received this mail, ignore it: nothing happens.'

const font = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;font-size:16px;line-height:1.5"
const button =
  'display:inline-block;padding:12px 24px;border-radius:6px;color:#ffffff;text-decoration:none;background:#1f2933'

const html = [
  '<!doctype html>',
  '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"></head>',
  `<body style="margin:0;padding:24px 12px;background:#f4f5f7;color:#1f2933;${font}">`,
  '<div style="max-width:560px;margin:0 auto;padding:24px;background:#ffffff">',
  ...lines.map((line) => `<p style="margin:16px 0">${line}</p>`),
  `<p><a href="{{url}}" style="${button}">Accept the invitation</a></p>`,
  `<p style="margin:24px 0 0;font-size:14px">${ending}</p>`,
  '</div>',
  '</body></html>',
].join('\n')

const template = {
  name: 'user_invitation',
  subject: 'Invitation to {{short_name}}',
  text: [...lines, 'Accept the invitation: {{url}}', ending].join('\n\n'),
  html,
  variables: ['tenant_name', 'short_name', 'url', 'expires_on'].map((name) => ({
    name,
    required: true,
    description: '',
  })),
}

/** So that the subject, which has at most 200 characters, fits. */
const shortNameLengthMax = 150
const instant = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })

/** Throws invalid_request for a URL of another scheme than http and https. */
export function renderUserInvitation({ tenantName, url, expiresAt }: UserInvitation): Content {
  const name = oneLine(tenantName)
  const shortName = name.length > shortNameLengthMax ? `${name.slice(0, shortNameLengthMax - 1)}…` : name
  const expiresOn = `${instant.format(expiresAt)} UTC`
  const values = { tenant_name: name, short_name: shortName, url, expires_on: expiresOn }
  return { fromName: shortName, replyTo: null, ...render('EMAIL', template, values) }
}
