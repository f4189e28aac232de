import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { delimiter, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/**
 * nginx for comparison, with one worker, because our server is one process, on its own port. It serves a directory,
 * or stores uploads by PUT in its own directory.
 */
export async function startNginx(
  directory: string,
  does: { serves: string } | { takesUploads: true },
): Promise<{ port: number; stop(): Promise<void> }> {
  const env = { ...process.env, PATH: [process.env.PATH, '/usr/sbin', '/sbin'].join(delimiter) }
  if (spawnSync('nginx', ['-v'], { env }).status !== 0)
    throw new Error('needs nginx: apt-get install nginx-light')
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  const home = join(directory, 'nginx')
  const own = join(home, 'files')
  mkdirSync(own, { recursive: true })
  const path = join(home, 'nginx.conf')
  const [http, server] =
    'serves' in does
      ? ['sendfile on; tcp_nopush on;', `root ${does.serves};`]
      : ['client_max_body_size 0;', `root ${own}; dav_methods PUT;`]
  writeFileSync(
    path,
    `${process.getuid?.() === 0 ? 'user root;' : ''} daemon off; worker_processes 1; pid ${home}/pid;
     error_log ${home}/error.log; events { worker_connections 1024; }
     http { access_log off; ${http} client_body_temp_path ${own}; proxy_temp_path ${home};
     fastcgi_temp_path ${home}; uwsgi_temp_path ${home}; scgi_temp_path ${home};
     server { listen 127.0.0.1:${port}; ${server} } }`,
  )
  const nginx = spawn('nginx', ['-p', home, '-c', path], { env, stdio: 'inherit' })
  for (;;) {
    const isUp = await fetch(`http://127.0.0.1:${port}`).then(
      () => true,
      () => false,
    )
    if (isUp) break
    if (nginx.exitCode !== null) throw new Error('nginx did not start')
    await delay(50)
  }
  return {
    port,
    stop: async () => {
      const ended = once(nginx, 'exit')
      nginx.kill('SIGTERM')
      await ended
    },
  }
}
