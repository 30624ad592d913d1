import { defineConfig } from 'vitest/config';

// The code is written against React; Preact is what ships. To ship React, delete these aliases and add `react`.
const PREACT = {
  'react/jsx-runtime': 'preact/jsx-runtime',
  react: 'preact/compat',
  'react-dom': 'preact/compat',
};

export default defineConfig({
  base: './',
  resolve: { alias: PREACT, dedupe: ['preact'] },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    rollupOptions: {
      onwarn: (warning, show) => warning.code !== 'MODULE_LEVEL_DIRECTIVE' && show(warning),
    },
    target: 'es2022',
    outDir: 'target/classes/dashboard',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: {
    proxy: { '/api': 'http://127.0.0.1:8080', '/in': 'http://127.0.0.1:8080' },
  },
  test: {
    environment: 'happy-dom',
    include: ['test/**/*.test.{ts,tsx}'],
    server: { deps: { inline: ['wouter', '@tanstack/react-query'] } },
  },
});
