/**
 * An OpenID Connect provider of its own, over TLS: discovery, keys, codes bound to PKCE and redirect, tokens signed by jose.
 * A test bends what it answers.
 */
import { createHash, generateKeyPairSync, randomUUID } from 'node:crypto'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { exportJWK, type JWTPayload, SignJWT } from 'jose'
import { type Pair, readPair } from './certificates.ts'

/** What the token endpoint gives as ID token; undefined: none. */
export type MakeToken = (claims: JWTPayload, sign: Sign) => Promise<string | undefined> | string | undefined
export type Sign = (claims: JWTPayload, header?: Record<string, unknown>) => Promise<string>

export const clientId = 'voltkeep'
export const clientSecret = 'aSecretOfTheClientThatIsLongEnough0'

interface Code {
  nonce: string
  challenge: string
  redirectUri: string
  claims: JWTPayload
}

export async function openIdentityProvider(pair: Pair) {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const jwk = { ...(await exportJWK(publicKey)), kid: 'own', alg: 'RS256', use: 'sig' }
  const codes = new Map<string, Code>()
  const bent: { token: MakeToken | null; userinfo: Record<string, unknown> | null; isAway: boolean } = {
    token: null,
    userinfo: null,
    isAway: false,
  }
  let asked = 0
  const sign: Sign = (claims, header = {}) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'own', ...header }).sign(privateKey)

  const server = createServer({ ...readPair(pair), keepAlive: false }, async (request, response) => {
    const answer = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (bent.isAway) return void response.destroy()
    const { pathname } = new URL(request.url ?? '/', issuer)
    if (pathname === '/.well-known/openid-configuration')
      return answer(200, {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        userinfo_endpoint: `${issuer}/userinfo`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
        code_challenge_methods_supported: ['S256'],
        authorization_response_iss_parameter_supported: true,
      })
    if (pathname === '/jwks') return answer(200, { keys: [jwk] })
    if (pathname === '/userinfo') return answer(200, bent.userinfo ?? {})
    if (pathname !== '/token') return answer(404, {})
    asked += 1
    let body = ''
    for await (const part of request) body += part
    const form = new URLSearchParams(body)
    const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`
    const code = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    const isRight =
      request.headers.authorization === basic &&
      code?.challenge === challenge &&
      code.redirectUri === form.get('redirect_uri')
    if (!code || !isRight) return answer(400, { error: 'invalid_grant' })
    const nowS = Math.floor(Date.now() / 1000)
    const claims = {
      iss: issuer,
      aud: clientId,
      iat: nowS,
      exp: nowS + 300,
      nonce: code.nonce,
      ...code.claims,
    }
    const idToken = bent.token ? await bent.token(claims, sign) : await sign(claims)
    return answer(200, {
      access_token: randomUUID(),
      token_type: 'Bearer',
      expires_in: 300,
      ...(idToken !== undefined && { id_token: idToken }),
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `https://localhost:${(server.address() as AddressInfo).port}`
  return {
    issuer,
    bent,
    publicKey,
    get tokensAsked() {
      return asked
    },
    /** Somebody signs in at the provider: what the browser brings back from the address it was sent to. */
    authorize(url: string, claims: JWTPayload): { state: string; code: string; iss: string } {
      const asking = new URL(url).searchParams
      const code = randomUUID()
      codes.set(code, {
        nonce: asking.get('nonce') ?? '',
        challenge: asking.get('code_challenge') ?? '',
        redirectUri: asking.get('redirect_uri') ?? '',
        claims,
      })
      return { state: asking.get('state') ?? '', code, iss: issuer }
    },
    close: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  }
}
