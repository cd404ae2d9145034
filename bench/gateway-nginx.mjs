/** nginx as the reference of a bench: a plain proxy, and one that asks an authorizer about each request. One worker. */
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePorts } from '@payments/devkit/ports'
import { end } from './gateway-processes.mjs'

/** The variants by name: the port, and the processes that are the proxy and those beside it. None where nginx is not installed. */
export async function startNginx(ends, upstreamPort, authorizerOf) {
  try {
    execFileSync('nginx', ['-v'], { stdio: 'ignore' })
  } catch {
    console.log('nginx is not installed: its two variants are left out')
    return []
  }
  const authorizer = await authorizerOf()
  const [plain, authorized] = await freePorts(2)
  const directory = mkdtempSync(join(tmpdir(), 'bench-nginx-'))
  const file = join(directory, 'nginx.conf')
  writeFileSync(
    file,
    nginxConfig({ directory, plain, authorized, upstreamPort, authorizerPort: authorizer.hello.port }),
  )
  const nginx = spawn('nginx', ['-c', file, '-e', join(directory, 'error.log')], { stdio: 'inherit' })
  ends.push(async () => {
    await end(nginx, 'SIGQUIT')
    rmSync(directory, { recursive: true })
  })
  await reachable(plain)
  const children = () =>
    readFileSync(`/proc/${nginx.pid}/task/${nginx.pid}/children`, 'utf8').trim().split(' ').map(Number)
  return [
    ['nginx', { port: plain, proxy: [nginx.pid, ...children()], beside: [] }],
    ['nginx + auth_request', { port: authorized, proxy: [nginx.pid, ...children()], beside: [authorizer.child.pid] }],
  ]
}

function nginxConfig({ directory, plain, authorized, upstreamPort, authorizerPort }) {
  return `
daemon off;
worker_processes 1;
pid ${directory}/nginx.pid;
events { worker_connections 1024; }
http {
  access_log off;
  client_body_temp_path ${directory}/body;
  proxy_temp_path ${directory}/proxy;
  fastcgi_temp_path ${directory}/fastcgi;
  uwsgi_temp_path ${directory}/uwsgi;
  scgi_temp_path ${directory}/scgi;
  keepalive_requests 1000000000;
  upstream service { server 127.0.0.1:${upstreamPort}; keepalive 64; keepalive_requests 1000000000; }
  upstream authorizer { server 127.0.0.1:${authorizerPort}; keepalive 64; keepalive_requests 1000000000; }
  proxy_http_version 1.1;
  proxy_set_header Connection "";
  server { listen 127.0.0.1:${plain}; location / { proxy_pass http://service; } }
  server {
    listen 127.0.0.1:${authorized};
    location / { auth_request /authorize; proxy_pass http://service; }
    location = /authorize {
      internal;
      proxy_pass http://authorizer;
      proxy_pass_request_body off;
      proxy_set_header Connection "";
      proxy_set_header Content-Length "";
    }
  }
}
`
}

async function reachable(port) {
  for (const deadline = Date.now() + 5_000; Date.now() < deadline; await delay(20)) {
    const isOpen = await new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
      socket.unref().once('connect', () => socket.destroy())
    })
    if (isOpen) return
  }
  throw new Error(`nothing listens on ${port}`)
}
