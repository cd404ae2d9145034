import type { WebhookAuthInfo } from '@payments/client/schemas'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useEdit } from '../../layout/edit.tsx'
import { FormDialog } from '../../layout/form-dialog.tsx'
import { useAction } from '../../session/action.ts'
import { api } from '../../session/api.ts'
import { useDenial } from '../../session/self.ts'
import { readHost } from '../../text/host.ts'
import { CheckField, TextAreaField, TextField } from '../../ui/fields.tsx'
import { ConfigFields, configPointers } from './config-fields.tsx'
import { buildConfig, emptyTexts, type Scheme, splitHosts, type Texts } from './schemes.ts'

interface AuthInfoDialogProps {
  /** The auth info to edit. Its credentials are not shown: they stay, or are replaced as a whole. */
  readonly authInfo?: WebhookAuthInfo
  readonly onClose: () => void
}

const fields = ['/name', '/hosts', ...configPointers]

/** Creates an auth info, or edits one. */
export function AuthInfoDialog({ authInfo: current, onClose }: AuthInfoDialogProps) {
  const [authInfo] = useState(current)
  const [name, setName] = useState(authInfo?.name ?? '')
  const [hosts, setHosts] = useState(authInfo?.hosts.join('\n') ?? '')
  const [scheme, setScheme] = useState<Scheme>(authInfo?.type ?? 'custom_headers')
  const [texts, setTexts] = useState<Texts>(emptyTexts)
  const [isReplacing, setReplacing] = useState(authInfo === undefined)
  const credentials = { type: scheme, config: buildConfig(scheme, texts) }
  const edit = useEdit(current, (id) => api.readAuthInfo({ webhook_auth_info_id: id }))
  const save = useSave(edit, authInfo, onClose, () => ({
    named: { name: name.trim(), hosts: splitHosts(hosts) },
    credentials: isReplacing ? credentials : undefined,
  }))
  const denial = useDenialOfHosts(authInfo, splitHosts(hosts), isReplacing ? texts['token_url'] : undefined)
  const isNew = authInfo === undefined
  return (
    <FormDialog
      title={isNew ? 'Create an auth info' : 'Edit the auth info'}
      onClose={onClose}
      action={save}
      submit={isNew ? 'Create auth info' : 'Save'}
      isReady={denial === undefined}
    >
      {edit.notice}
      <TextField
        label="Name"
        isRequired
        maxLength={200}
        value={name}
        onChange={setName}
        error={save.fieldError('/name')}
      />
      <TextAreaField
        label="Hosts"
        hint="Hosts that may receive the credentials, one a line. A port other than 443 follows a colon."
        error={denial ?? save.fieldError('/hosts')}
        value={hosts}
        onChange={setHosts}
      />
      {isNew ? null : (
        <CheckField isChecked={isReplacing} onChange={setReplacing}>
          Replace the credentials
        </CheckField>
      )}
      {isReplacing ? (
        <ConfigFields
          scheme={scheme}
          texts={texts}
          fieldError={save.fieldError}
          onScheme={setScheme}
          onTexts={setTexts}
        />
      ) : null}
    </FormDialog>
  )
}

interface Values {
  readonly named: { readonly name: string; readonly hosts: string[] }
  /** Undefined: those that are stored stay. */
  readonly credentials: { readonly type: Scheme; readonly config: ReturnType<typeof buildConfig> } | undefined
}

type Change = Parameters<typeof api.updateAuthInfo>[0]['body']
type Creation = Parameters<typeof api.createAuthInfo>[0]['body']

/** Creates or updates, and opens the page of the auth info. */
function useSave(
  edit: ReturnType<typeof useEdit<WebhookAuthInfo>>,
  authInfo: WebhookAuthInfo | undefined,
  onClose: () => void,
  valuesNow: () => Values,
) {
  const navigate = useNavigate()
  return useAction({
    call: (_input: undefined, { idempotencyKey }) => {
      const { named, credentials } = valuesNow()
      const body = { ...named, ...credentials }
      if (authInfo === undefined) return api.createAuthInfo({ body: body as Creation }, { idempotencyKey })
      const address = { webhook_auth_info_id: authInfo.id }
      // The scheme belongs to its credentials, also where it stays the same.
      return edit.save(body, (changes) =>
        api.updateAuthInfo({ ...address, body: { ...changes, ...credentials } as Change }),
      )
    },
    onSuccess: ({ id }) => {
      onClose()
      void navigate({ to: '/auth-infos/$authInfoId', params: { authInfoId: id } })
    },
    fields,
  })
}

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
