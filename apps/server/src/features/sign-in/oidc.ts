// The one file that speaks OpenID Connect: authorization code with PKCE, state and nonce, and an ID token whose signature is
// checked with the provider's keys.

import * as openid from 'openid-client'
import { ProviderAway } from './provider-away.ts'
import type { Claims } from './rules.rules.ts'

export interface Client {
  issuer: string
  clientId: string
  clientSecret: string | null
}

const timeoutSeconds = 5
const clockToleranceSeconds = 60
/** What a provider says of itself is read again after so long. */
const knownForMs = 600_000

const known = new Map<string, { atMs: number; configuration: Promise<openid.Configuration> }>()

async function discover({ issuer, clientId, clientSecret }: Client): Promise<openid.Configuration> {
  try {
    const configuration = await openid.discovery(
      new URL(issuer),
      clientId,
      { [openid.clockTolerance]: clockToleranceSeconds },
      clientSecret === null ? openid.None() : openid.ClientSecretBasic(clientSecret),
      { timeout: timeoutSeconds },
    )
    // Otherwise a token is believed for the connection that it came by.
    openid.enableNonRepudiationChecks(configuration)
    return configuration
  } catch (error) {
    throw new ProviderAway('the provider could not be read', { cause: error })
  }
}

function configurationOf(client: Client): Promise<openid.Configuration> {
  const key = JSON.stringify(client)
  const found = known.get(key)
  if (found && performance.now() - found.atMs < knownForMs) return found.configuration
  const configuration = discover(client)
  known.set(key, { atMs: performance.now(), configuration })
  configuration.catch(() => known.delete(key))
  return configuration
}

export interface Begun {
  url: string
  state: string
  nonce: string
  verifier: string
}

/** The address to which a browser goes, and what has to be kept until it is back. */
export async function beginAt(client: Client, scopes: string, returnAddress: string): Promise<Begun> {
  const configuration = await configurationOf(client)
  const [state, nonce, verifier] = [
    openid.randomState(),
    openid.randomNonce(),
    openid.randomPKCECodeVerifier(),
  ]
  const url = openid.buildAuthorizationUrl(configuration, {
    redirect_uri: returnAddress,
    scope: scopes,
    state,
    nonce,
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
  return { url: url.href, state, nonce, verifier }
}

export interface Person {
  issuer: string
  subject: string
  claims: Claims
}

/**
 * Who has come back. Throws for whatever is not as it must be. `isEnough`: whether the ID token says all that is asked;
 * else the provider is asked for more, which never replaces what the token says.
 */
export async function finishAt(
  client: Client,
  returned: URL,
  { state, nonce, verifier }: Omit<Begun, 'url'>,
  isEnough: (claims: Claims) => boolean,
): Promise<Person> {
  const configuration = await configurationOf(client)
  const tokens = await openid.authorizationCodeGrant(configuration, returned, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
  })
  const said = tokens.claims()
  if (!said || typeof said.sub !== 'string' || said.sub === '' || said.sub.length > 255)
    throw new Error('the ID token has no subject')
  const { issuer } = configuration.serverMetadata()
  if (said.iss !== issuer) throw new Error('the ID token is of another issuer')
  let claims: Claims = said
  if (!isEnough(claims) && configuration.serverMetadata().userinfo_endpoint !== undefined)
    claims = { ...(await openid.fetchUserInfo(configuration, tokens.access_token, said.sub)), ...said }
  return { issuer, subject: said.sub, claims }
}
