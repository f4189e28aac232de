import { QueryClientProvider } from '@tanstack/react-query'
import { ConfigProvider } from 'antd'
import zhCN from 'antd/es/locale/zh_CN.js'
import { type ReactNode, useState } from 'react'
import { config } from 'zod/mini'
import zodZhCN from 'zod/v4/locales/zh-CN.js'
import { mobileQuery, stillQuery, useMedia } from '../../lib/browser/media.ts'
import { useIsDark } from '../../lib/browser/theme.ts'
import { createQueryClient } from '../../lib/wire/queryClient.ts'
import { antdTheme } from '../../ui/theme/antdTheme.ts'
import { Layout } from './Layout.tsx'

// What a signed-in user needs: antd, the query client, the layout.

config(zodZhCN())

// The calendar's buttons are named by the value that they show, e.g. 2026年: antd's names for them hide it.
const { DatePicker: picker } = zhCN
const locale = picker
  ? { ...zhCN, DatePicker: { ...picker, lang: { ...picker.lang, yearSelect: '', monthSelect: '' } } }
  : zhCN

/** Around the route's page, or around `children`. */
export function Shell({ children }: { children?: ReactNode }) {
  const [client] = useState(createQueryClient)
  const isDark = useIsDark()
  const isTouch = useMedia(mobileQuery)
  // Read once: when antd's motion setting changes it remounts everything, half-filled forms included.
  const [isStill] = useState(() => window.matchMedia(stillQuery).matches)
  return (
    <ConfigProvider
      locale={locale}
      theme={antdTheme({ isDark, isTouch, isStill })}
      button={{ autoInsertSpace: false }}
      form={{ colon: false }}
    >
      <QueryClientProvider client={client}>
        <Layout>{children}</Layout>
      </QueryClientProvider>
    </ConfigProvider>
  )
}
