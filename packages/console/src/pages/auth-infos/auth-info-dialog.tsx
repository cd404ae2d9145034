import type { WebhookAuthInfo } from '@payments/client/schemas'
import { useEditor } from '../../layout/edit.tsx'
import { FormDialog } from '../../layout/form.tsx'
import { api } from '../../session/api.ts'
import { useDenial } from '../../session/self.ts'
import { readHost, splitWords } from '../../text/format.ts'
import { CheckField, SelectField, TextAreaField, TextField } from '../../ui/fields.tsx'
import { buildConfig, type Config, emptyTexts, type Scheme, schemeNames, schemes, type Texts } from './schemes.ts'

interface AuthInfoDialogProps {
  /** The auth info to edit. Its credentials are not shown: they stay, or are replaced as a whole. */
  readonly authInfo?: WebhookAuthInfo
  readonly onClose: () => void
}

/** Pointers of the fields, for the errors of the API. */
const fields = [
  '/name',
  '/hosts',
  '/type',
  ...new Set(schemeNames.flatMap((scheme) => schemes[scheme].fields.map(({ name }) => `/config/${name}`))),
]

interface Body {
  readonly name: string
  readonly hosts: string[]
  /** Undefined: the stored credentials stay. */
  readonly type?: Scheme
  readonly config?: Config
}

/** Creates an auth info, or edits one. */
export function AuthInfoDialog({ authInfo, onClose }: AuthInfoDialogProps) {
  const { values, change, bind, isNew, fieldError, notice, form } = useEditor({
    noun: 'auth info',
    current: authInfo,
    initial: () => ({
      name: authInfo?.name ?? '',
      hosts: authInfo?.hosts.join('\n') ?? '',
      type: authInfo?.type ?? ('custom_headers' as Scheme),
      texts: emptyTexts,
      isReplacing: authInfo === undefined,
    }),
    fields,
    toBody: ({ name, hosts, type, texts, isReplacing }): Body => ({
      name: name.trim(),
      hosts: splitWords(hosts),
      ...(isReplacing ? { type, config: buildConfig(type, texts) } : {}),
    }),
    read: (id) => api.readAuthInfo({ webhook_auth_info_id: id }),
    create: (body, options) =>
      api.createAuthInfo({ body: body as Parameters<typeof api.createAuthInfo>[0]['body'] }, options),
    // The scheme belongs to its credentials, also where it stays the same.
    update: (id, changes, { type, config }) =>
      api.updateAuthInfo({
        webhook_auth_info_id: id,
        body: { ...changes, ...(config === undefined ? {} : { type, config }) } as Change,
      }),
    list: '/auth-infos',
    onClose,
  })
  const { type, texts, isReplacing } = values
  const denial = useDenialOfHosts(authInfo, splitWords(values.hosts), isReplacing ? texts['token_url'] : undefined)
  return (
    <FormDialog {...form} isReady={denial === undefined}>
      {notice}
      <TextField label="Name" isRequired maxLength={200} {...bind('name')} />
      <TextAreaField
        label="Hosts"
        hint="Hosts that may receive the credentials, one a line. A port other than 443 follows a colon."
        {...bind('hosts')}
        error={denial ?? fieldError('/hosts')}
      />
      {isNew ? null : (
        <CheckField isChecked={isReplacing} onChange={(isChecked) => change({ isReplacing: isChecked })}>
          Replace the credentials
        </CheckField>
      )}
      {isReplacing ? (
        <>
          <SelectField
            label="Scheme"
            options={schemeNames.map((name) => ({ value: name, label: schemes[name].label }))}
            {...bind('type')}
          />
          <ConfigFields
            scheme={type}
            texts={texts}
            fieldError={fieldError}
            onChange={(part) => change({ texts: { ...texts, ...part } })}
          />
        </>
      ) : null}
    </FormDialog>
  )
}

type Change = Parameters<typeof api.updateAuthInfo>[0]['body']

/** Another host of existing credentials requires the permission to reveal them. */
function useDenialOfHosts(authInfo: WebhookAuthInfo | undefined, hosts: readonly string[], tokenUrl = '') {
  const denial = useDenial()('revealAuthInfo')
  if (authInfo === undefined || denial === undefined) return undefined
  const known = new Set(authInfo.hosts)
  if (hosts.some((host) => !known.has(host))) return `Another host ${denial}.`
  const current = 'token_url' in authInfo.config ? readHost(authInfo.config.token_url) : undefined
  const next = readHost(tokenUrl)
  if (next === undefined || next === current || known.has(next)) return undefined
  return `A token URL on another host ${denial}.`
}

interface ConfigFieldsProps {
  readonly scheme: Scheme
  readonly texts: Texts
  readonly fieldError: (pointer: string) => string | undefined
  readonly onChange: (part: Texts) => void
}

/** The fields of the credentials of a scheme. */
function ConfigFields({ scheme, texts, fieldError, onChange }: ConfigFieldsProps) {
  return schemes[scheme].fields.map(
    ({ name, label, hint, isOptional = false, isSecret = false, options, isMultiline }) => {
      const field = {
        label,
        hint,
        value: texts[name] ?? '',
        onChange: (value: string) => onChange({ [name]: value }),
        error: fieldError(`/config/${name}`),
      }
      const key = `${scheme} ${name}`
      if (options !== undefined) return <SelectField key={key} options={options} {...field} />
      if (isMultiline) return <TextAreaField key={key} isRequired={!isOptional} {...field} />
      return <TextField key={key} isRequired={!isOptional} type={isSecret ? 'password' : 'text'} {...field} />
    },
  )
}
