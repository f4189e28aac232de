import { type DataFor, type Endpoint, type InputFor, login, type RefusalName } from '@voltkeep/contract'

/** A parsed answer. `data` is null on every error except a 400 with its fields. */
export interface Answer<Data = unknown> {
  status: number
  headers: Headers
  code: number
  message: string
  data: Data
  total?: number
  refusal?: RefusalName
  /** The unparsed body. */
  text: string
}

/** A client of the API with one IP address. */
export interface TestClient {
  /** Calls an endpoint of the contract with its first verb: fields in the query, or as a JSON body. */
  call<E extends Endpoint>(
    endpoint: E,
    input: InputFor<E> | Record<string, unknown>,
    token?: string | null,
  ): Promise<Answer<DataFor<E>>>
  /** Sends any request to the server; an envelope in the answer is parsed. */
  request(path: string, init?: RequestInit): Promise<Answer>
  /** Signs in over HTTP; throws if refused. */
  signIn(loginName: string, password: string): Promise<string>
}

/** A client of a server in this process or another. `standing` headers are sent with each request. */
export function clientOf(url: string, standing: Record<string, string> = {}): TestClient {
  const request = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const response = await fetch(`${url}${path}`, {
      redirect: 'manual',
      ...init,
      headers: { ...standing, ...init.headers },
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    const envelope = isJson ? JSON.parse(text) : { code: response.status, message: '', data: null }
    return { ...envelope, status: response.status, headers: response.headers, text }
  }

  const call: TestClient['call'] = async (endpoint, input, token) => {
    const [method] = endpoint.methods
    const fields = { ...(input as Record<string, unknown>) }
    const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => {
      const value = encodeURIComponent(String(fields[name]))
      delete fields[name]
      return value
    })
    const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {}
    if (method === 'GET') {
      const query = new URLSearchParams(
        Object.entries(fields).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, String(value)]],
        ),
      )
      return request(`/api${path}?${query}`, { headers }) as never
    }
    headers['content-type'] = 'application/json'
    return request(`/api${path}`, { method, headers, body: JSON.stringify(fields) }) as never
  }

  const signIn = async (loginname: string, password: string) => {
    const answer = await call(login, { loginname, password })
    if (answer.code !== 200) throw new Error(`sign-in of ${loginname}: ${answer.code} ${answer.message}`)
    return answer.data.token
  }

  return { call, request, signIn }
}
