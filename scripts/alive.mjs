// Whether the server of this machine answers, by its exit code: for the health check of a container.
const { HTTP_PORT = '8080', HTTP_HOST, HOST } = process.env
const given = HTTP_HOST || HOST || '0.0.0.0'
const host = given === '0.0.0.0' ? '127.0.0.1' : given === '::' ? '[::1]' : given
try {
  // With TLS this port answers this question all the same.
  const answer = await fetch(`http://${host}:${HTTP_PORT || '8080'}/api/health`, {
    signal: AbortSignal.timeout(4_000),
  })
  process.exitCode = answer.ok ? 0 : 1
} catch {
  process.exitCode = 1
}
