/** nginx as the reference of the gateway benchmark: a plain proxy, and a proxy with `auth_request`. One worker. */
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from '@payments/devkit/machine/ports'
import { type Cleanup, endProcess, requirePid, startChild, until } from '../measure/child-process.ts'
import type { StubReady } from './stub-server.ts'

export interface NginxVariant {
  readonly name: string
  readonly port: number
  readonly proxyPids: readonly number[]
  /** Processes other than the proxy that a request needs. */
  readonly otherPids: readonly number[]
}

/** No variants when nginx is not installed. */
export async function startNginx(cleanups: Cleanup[], upstreamPort: number): Promise<NginxVariant[]> {
  try {
    execFileSync('nginx', ['-v'], { stdio: 'ignore' })
  } catch {
    console.log('nginx is not installed: its two variants are left out')
    return []
  }
  const authorizer = await startChild<StubReady>('gateways/stub-server', { args: ['authorizer'] })
  cleanups.push(authorizer.end)
  const [plain = 0, authorized = 0] = await freePorts(2)
  const directory = mkdtempSync(join(tmpdir(), 'bench-nginx-'))
  cleanups.push(() => rmSync(directory, { recursive: true }))
  const file = join(directory, 'nginx.conf')
  const ports = { plain, authorized, upstreamPort, authorizerPort: authorizer.ready.port }
  writeFileSync(file, nginxConfig(directory, ports))
  const nginx = spawn('nginx', ['-c', file, '-e', join(directory, 'error.log')], { stdio: 'inherit' })
  cleanups.push(() => endProcess(nginx, 'SIGQUIT'))
  await until(() => isOpen(plain))
  const master = requirePid(nginx)
  const workers = readFileSync(`/proc/${master}/task/${master}/children`, 'utf8').trim().split(' ').map(Number)
  const proxyPids = [master, ...workers]
  return [
    { name: 'nginx', port: plain, proxyPids, otherPids: [] },
    { name: 'nginx + auth_request', port: authorized, proxyPids, otherPids: [authorizer.pid] },
  ]
}

interface NginxPorts {
  readonly plain: number
  readonly authorized: number
  readonly upstreamPort: number
  readonly authorizerPort: number
}

function nginxConfig(directory: string, { plain, authorized, upstreamPort, authorizerPort }: NginxPorts): string {
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

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
    socket.unref().once('connect', () => socket.destroy())
  })
}
