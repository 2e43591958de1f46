// Four managed threads emit by P/Invoke while a fifth forces collections, the first of them before the library is loaded, and the main thread pumps.
// What they allocate they check: a collector that scanned the wrong stack frees what is still in use. Ends with "good" and 0.
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Threading;

static class Boehm
{
    [DllImport("shim")] static extern int shim_open();
    [DllImport("shim")] static extern int shim_emit();
    [DllImport("shim")] static extern int shim_pump();
    [DllImport("shim")] static extern int shim_close();

    sealed class Node { public int Number; public int[] Data; public Node Next; }

    const int Emitters = 4, Rounds = 250, Collections = 400, Messages = 100;
    static volatile bool opened;
    static int working = Emitters, collections, messages; // since it was opened
    static string wrong;

    static Node Chain(int seed)
    {
        Node head = null;
        for (int i = 0; i < 64; i++)
            head = new Node { Number = seed + i, Data = new int[] { seed, i, seed ^ i, 7 }, Next = head };
        return head;
    }

    static void Check(Node node, int seed)
    {
        for (int i = 63; i >= 0; i--, node = node.Next)
            if (node == null || node.Number != seed + i || node.Data.Length != 4 || node.Data[0] != seed || node.Data[2] != (seed ^ i))
                wrong = "a live object was lost";
    }

    static void Emit(object number)
    {
        for (int round = 0; round < Rounds || Volatile.Read(ref collections) < Collections || Volatile.Read(ref messages) < Messages; round++) {
            int seed = (int)number * 1000003 + round;
            Node kept = Chain(seed); // on this stack only
            for (int i = 0; i < 50 && opened; i++)
                if (shim_emit() != 0)
                    wrong = "emit failed";
            Check(kept, seed);
        }
        Interlocked.Decrement(ref working);
    }

    static void Collect()
    {
        while (Volatile.Read(ref working) > 0) {
            GC.Collect();
            if (opened)
                Interlocked.Increment(ref collections);
        }
    }

    static int Main()
    {
        var threads = new List<Thread>();
        for (int i = 0; i < Emitters; i++)
            threads.Add(new Thread(Emit));
        for (int i = 0; i < Emitters; i++)
            threads[i].Start(i);
        var collector = new Thread(Collect);
        collector.Start();
        threads.Add(collector);
        if (shim_open() != 0)
            wrong = "open failed";
        opened = true;
        while (Volatile.Read(ref working) > 0) {
            int sent = shim_pump();
            if (sent < 0)
                wrong = "pump failed";
            Interlocked.Add(ref messages, sent);
            Thread.Sleep(1);
        }
        foreach (Thread thread in threads)
            thread.Join();
        if (shim_close() != 0)
            wrong = "close failed";
        Console.WriteLine("{0} collections, {1} messages: {2}", collections, messages, wrong ?? "good");
        return wrong == null ? 0 : 1;
    }
}
