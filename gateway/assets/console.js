// The account page of a person who signed in: who they are, their sessions, and the people of their tenant. It calls the
// public API with the session cookie, which no script can read. Texts of people are text nodes only.

const timeoutMs = 30_000
const listMax = 200

/** A random UUID (version 4). `crypto.randomUUID` exists over HTTPS and on this machine only. */
function uuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = (bytes[6] & 0x0f) | 0x40
  bytes[8] = (bytes[8] & 0x3f) | 0x80
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

class RequestFailed extends Error {
  constructor(problem, traceId) {
    super(problem.detail ?? problem.title ?? 'The request failed.')
    this.code = problem.code
    this.traceId = traceId
  }
}

/** Sends a request of the session. A session that has ended leads to the sign-in, a stale one to a fresh sign-in. */
async function call(method, path, body) {
  const headers = { 'X-Console': '1', 'Trace-ID': uuid() }
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  if (method === 'POST') headers['Idempotency-Key'] = uuid()
  const response = await fetch(path, {
    method,
    headers,
    body: body === undefined ? undefined : JSON.stringify(body),
    credentials: 'same-origin',
    cache: 'no-store',
    signal: AbortSignal.timeout(timeoutMs),
  })
  const text = await response.text()
  const reply = text === '' ? null : JSON.parse(text)
  if (response.ok) return reply
  if (response.status === 401) {
    return leave(reply?.code === 'step_up_required' ? '/session/step-up' : '/session/sign-in?return_to=/console')
  }
  throw new RequestFailed(reply ?? {}, response.headers.get('Trace-ID'))
}

/** Opens another page. Never resolves: what follows belongs to a page that is left. */
function leave(path) {
  location.assign(path)
  return new Promise(() => {})
}

/** Posts a form of the sign-in pages, and opens the page that it leads to. */
async function post(path, fields) {
  const response = await fetch(path, {
    method: 'POST',
    body: new URLSearchParams(fields),
    credentials: 'same-origin',
    signal: AbortSignal.timeout(timeoutMs),
  })
  return leave(response.redirected ? response.url : '/session/sign-in')
}

function element(name, properties = {}, ...children) {
  const created = Object.assign(document.createElement(name), properties)
  created.append(...children)
  return created
}

const time = (text) => element('time', { dateTime: text }, new Date(text).toLocaleString())

function button(text, label, action) {
  const created = element('button', { type: 'button', textContent: text, ariaLabel: label })
  created.addEventListener('click', () => during(created, action))
  return created
}

/** Disables the control while its action runs, and shows the failure of the action. */
async function during(control, action) {
  control.disabled = true
  show('')
  try {
    await action()
  } catch (error) {
    const support = error.traceId === undefined || error.traceId === null ? '' : ` Trace-ID: ${error.traceId}`
    show(`${error.message}${support}`, true)
  } finally {
    control.disabled = false
  }
}

function show(text, isError = false) {
  const status = document.querySelector('#status')
  status.textContent = text
  status.classList.toggle('error', isError)
}

function table(label, names, rows) {
  const head = element('tr', {}, ...names.map((name) => element('th', { scope: 'col', textContent: name })))
  const body = rows.map((cells) =>
    element('tr', {}, ...cells.map((cell, at) => element('td', at === 0 ? { className: 'first' } : {}, cell))),
  )
  return element(
    'div',
    { className: 'scroll', tabIndex: 0, role: 'group', ariaLabel: label },
    element('table', {}, element('thead', {}, head), element('tbody', {}, ...body)),
  )
}

function fact(name, ...values) {
  return [element('dt', { textContent: name }), element('dd', {}, ...values)]
}

function showSelf(self) {
  document.title = `${self.tenant.name} · Payment Service`
  const environment = document.querySelector('#environment')
  environment.textContent = self.environment.toUpperCase()
  environment.dataset.environment = self.environment
  const facts = element(
    'dl',
    {},
    ...fact('Signed in as', self.actor.name ?? self.actor.id),
    ...fact('Tenant', self.tenant.name),
    ...fact('Tenant id', element('code', { textContent: self.tenant.id })),
    ...fact('Roles', self.roles.map(({ name }) => name).join(', ') || 'none'),
    ...fact('Confirmed at', time(self.session.authenticated_at)),
    ...fact('Session ends at', time(self.session.expires_at)),
  )
  const permissions = element(
    'details',
    {},
    element('summary', { textContent: `${self.permissions.length} permissions` }),
    element('ul', {}, ...self.permissions.map((name) => element('li', {}, element('code', { textContent: name })))),
  )
  const signOut = button('Sign out', 'Sign out', () => post('/session/sign-out', {}))
  document.querySelector('#self').replaceChildren(facts, permissions, ...switches(self), signOut)
}

function switches({ memberships, tenant }) {
  return memberships
    .filter(({ tenant_id: id }) => id !== tenant.id)
    .map(({ tenant_id, tenant_name: name }) =>
      button(`Switch to ${name}`, `Switch to ${name}`, () => post('/session/switch-tenant', { tenant_id })),
    )
}

async function showSessions() {
  const { data } = await call('GET', `/v1/identity/sessions?limit=${listMax}`)
  const rows = data.map((session) => [
    session.current ? 'This browser' : (session.user_agent ?? session.kind),
    session.ip,
    time(session.last_seen_at),
    session.current
      ? ''
      : button('End', `End the session of ${session.ip}`, async () => {
          await call('DELETE', `/v1/identity/sessions/${session.id}`)
          await showSessions()
        }),
  ])
  const names = ['Session', 'Address', 'Last used', 'Action']
  document.querySelector('#sessions').replaceChildren(table('Your sessions', names, rows))
}

async function showPeople(self) {
  const may = (permission) => self.permissions.includes(permission)
  const section = document.querySelector('#people')
  section.hidden = !may('user:ReadUser')
  if (section.hidden) return
  const roles = may('rbac:ReadRole') ? (await call('GET', `/v1/rbac/roles?limit=${listMax}`)).data : []
  const nameOf = (id) => roles.find((role) => role.id === id)?.name ?? id
  const refresh = () => showPeople(self)
  const { data: users } = await call('GET', `/v1/identity/users?limit=${listMax}`)
  const { data: invitations } = await call('GET', `/v1/identity/user-invitations?status=open&limit=${listMax}`)
  const removal = (user) =>
    may('user:RemoveUser') && user.id !== self.actor.id
      ? button('Remove', `Remove ${user.email}`, async () => {
          if (!confirm(`Remove ${user.email} from ${self.tenant.name}?`)) return
          await call('DELETE', `/v1/identity/users/${user.id}`)
          await refresh()
        })
      : ''
  const cancellation = (invitation) =>
    may('user:InviteUser')
      ? button('Cancel', `Cancel the invitation of ${invitation.email}`, async () => {
          await call('POST', `/v1/identity/user-invitations/${invitation.id}/cancel`)
          await refresh()
        })
      : ''
  const rows = [
    ...users.map((user) => [
      user.name === null ? user.email : `${user.name}, ${user.email}`,
      user.role_ids.map(nameOf).join(', '),
      user.enabled ? 'enabled' : 'disabled',
      removal(user),
    ]),
    ...invitations.map((invitation) => [
      invitation.email,
      invitation.role_ids.map(nameOf).join(', '),
      'invited',
      cancellation(invitation),
    ]),
  ]
  const list = table('People', ['Person', 'Roles', 'State', 'Action'], rows)
  section.querySelector('.list').replaceChildren(list)
  showInvitation(section.querySelector('form'), may('user:InviteUser') ? roles : [], refresh)
}

/** The form that invites a person; hidden without a role to give. */
function showInvitation(form, roles, refresh) {
  form.hidden = roles.length === 0
  const select = form.elements.role
  const chosen = select.value
  select.replaceChildren(...roles.map(({ id, name }) => element('option', { value: id, textContent: name })))
  if (chosen !== '') select.value = chosen
  form.onsubmit = (event) => {
    event.preventDefault()
    const email = form.elements.email.value
    void during(form.querySelector('button'), async () => {
      await call('POST', '/v1/identity/user-invitations', { email, role_ids: [select.value] })
      form.reset()
      await refresh()
      show(`Invited ${email}.`)
    })
  }
}

async function start() {
  const self = await call('GET', '/v1/identity/self')
  showSelf(self)
  document.querySelector('main').hidden = false
  await Promise.all([showSessions(), showPeople(self)])
}

start().catch((error) => {
  document.querySelector('main').hidden = false
  show(error.message, true)
})
