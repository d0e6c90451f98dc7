// Bundles the unit tests with the same bundler as the product and runs them with Node's own runner.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import * as esbuild from 'esbuild';

const here = import.meta.dirname;
const out = fs.mkdtempSync(path.join(os.tmpdir(), 'gradviz-test-'));
try {
  const tests = fs.readdirSync(path.join(here, 'test')).filter(name => name.endsWith('.test.ts'));
  // There are no workers here: what one would run is left out.
  const noWorker = {
    name: 'no-worker',
    setup(build) {
      build.onResolve({ filter: /\?worker$/ }, ({ path: name }) => ({ path: name, namespace: 'worker' }));
      build.onLoad({ filter: /.*/, namespace: 'worker' }, () => ({ contents: '', loader: 'text' }));
    }
  };
  await esbuild.build({
    entryPoints: tests.map(name => path.join(here, 'test', name)),
    bundle: true, platform: 'node', format: 'esm', target: 'es2022', outdir: out, outExtension: { '.js': '.mjs' },
    absWorkingDir: here, logLevel: 'warning', loader: { '.css': 'text' }, plugins: [noWorker]
  });
  const files = tests.map(name => path.join(out, name.replace(/\.ts$/, '.mjs')));
  const { status } = spawnSync(process.execPath, ['--test', ...files], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
} finally {
  fs.rmSync(out, { recursive: true, force: true });
}
