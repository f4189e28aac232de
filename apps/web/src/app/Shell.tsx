import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { ConfigProvider } from 'antd'
import zhCN from 'antd/es/locale/zh_CN.js'
import { useState } from 'react'
import { config } from 'zod/mini'
import zodZhCN from 'zod/v4/locales/zh-CN.js'
import { mobileQuery, stillQuery, useMedia } from '../lib/media.ts'
import { notify } from '../lib/notices.ts'
import { texts } from '../lib/texts/index.ts'
import { useIsDark } from '../lib/theme.ts'
import { CallError } from '../lib/wire/call.ts'
import { antdTheme } from '../ui/antdTheme.ts'
import { Layout } from './Layout.tsx'

// What only the signed-in need: antd, the query client, the layout.

config(zodZhCN())

/** The one place where a refused call is told, unless its form showed it or the session is over. */
function tell(error: unknown): void {
  if (!(error instanceof CallError)) {
    notify.error(error instanceof Error && error.message ? error.message : texts.errors.fallback)
    return
  }
  if (error.isSessionEnd) return
  const isNamed = error.requestId === undefined || error.message.includes(error.requestId)
  notify.error(error.message, isNamed ? undefined : texts.errors.requestId(error.requestId ?? ''))
}

function createQueryClient(): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        if (!query.meta?.isQuiet) tell(error)
      },
    }),
    mutationCache: new MutationCache({
      onError: (error, _input, _result, mutation) => {
        const isClaimed = error instanceof CallError && mutation.meta?.claim?.(error)
        if (!isClaimed) tell(error)
      },
    }),
    defaultOptions: {
      queries: {
        // Paused calls say nothing: offline a call fails at once, and its list offers 重试.
        networkMode: 'always',
        // Which that mode would leave out.
        refetchOnReconnect: true,
        staleTime: 5_000,
        // A line that blinks deserves a second try; a refusal stays a refusal.
        retry: (failures, error) => failures < 1 && error instanceof CallError && error.code === 0,
        retryDelay: 600,
      },
      mutations: { networkMode: 'always', retry: false },
    },
  })
}

export function Shell() {
  const [client] = useState(createQueryClient)
  const isDark = useIsDark()
  const isTouch = useMedia(mobileQuery)
  // As it was at the start: where antd's motion changes it mounts everything anew, half-filled forms too.
  const [isStill] = useState(() => window.matchMedia(stillQuery).matches)
  return (
    <ConfigProvider
      locale={zhCN}
      theme={antdTheme({ isDark, isTouch, isStill })}
      button={{ autoInsertSpace: false }}
      form={{ colon: false }}
    >
      <QueryClientProvider client={client}>
        <Layout />
      </QueryClientProvider>
    </ConfigProvider>
  )
}
